"""Response models of the HTTP interface; they document replies, and do not check them.

Tables are described by the structures of the games themselves (`games/*/state.py`).
"""

from functools import reduce
from operator import or_
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, with_config

from bolicho.games import BUILT_IN, kind
from bolicho.games.fields import Structure, structures

Message = tuple[str, dict[str, Any]]
"""Key of a sentence in the catalogues, and its values."""


def _tables() -> Any:
    """Return the union of the tables of all built-in games, with their JSON keys, and any JSON for other games."""
    found: list[type[Structure]] = []
    for name in BUILT_IN:
        table = get_type_hints(kind(name).data)["return"]
        if isinstance(table, type) and issubclass(table, Structure) and table not in found:
            found.append(table)
    config = ConfigDict(extra="forbid", alias_generator=lambda name: name.removesuffix("_"))
    for part in {part for table in found for part in structures(table)}:
        with_config(config)(part)
    return reduce(or_, [*found, dict[str, Any]])


TableResponse: Any = _tables()


class StrictResponse(BaseModel):
    """Response without other fields than those named."""

    model_config = ConfigDict(extra="forbid")


class LegalActionResponse(StrictResponse):
    """Legal action: its text, and its name for people."""

    action: str
    says: Message


class ViewResponse(StrictResponse):
    """View of a seat, or of the public (docs/views.md)."""

    game: str
    rules: dict[str, bool | int | str]
    seat: int | None
    turn: int | None
    over: bool
    scores: list[int]
    ply: int | None
    legal: list[LegalActionResponse]
    log_from: int
    log: list[dict[str, Any]]
    table: TableResponse
    svg: str = ""  # drawing of a game without a page module


class PlayerResponse(StrictResponse):
    """Player at a seat; `agent` is its spec, or only whether it is an agent if the match hides names."""

    name: str
    agent: str | bool | None
    taken: bool
    here: bool


class ClockResponse(StrictResponse):
    """Seconds left for each seat, and the seat whose clock runs."""

    left: list[float]
    running: int | None


class StateResponse(StrictResponse):
    """Public state of a match."""

    players: list[PlayerResponse]
    state: Literal["waiting", "playing", "over", "void"]
    result: dict[str, Any] | None
    clock: ClockResponse | None
    claim: dict[str, Any] | None
    reveal: dict[str, Any] = {}
    challenge: dict[str, Any] = {}
    stops: list[int] = []  # seats that offer to stop
    evening: dict[str, list[int]] = {}  # after the end: games `won` at this table, `points` of its series, by seat
    rematch: dict[str, Any] = {}  # `seats` that offer one, and the `match` once it exists


class MatchResponse(StateResponse):
    """Match from one audience's view: the current view, and those of the plies since the last reply."""

    is_: Literal["view"]
    ply: int
    view: ViewResponse | None
    frames: list[ViewResponse]

    model_config = ConfigDict(extra="forbid", alias_generator=lambda name: name.removesuffix("_"))


class MatchOverviewResponse(StateResponse):
    """Match with its game and options; `look` is the page module that draws it."""

    match: str
    game: str
    look: str
    seats: int
    rules: dict[str, bool | int | str]
    options: dict[str, Any]
    ply: int
    judged: bool  # whether its decisions can be analysed after the end


class TermsResponse(StrictResponse):
    """Terms and commitments of a deal; nonces, secret and seed once they may be known (docs/fairness.md)."""

    match: str
    game: str
    rules: dict[str, bool | int | str]
    agents: list[str | bool | None]
    version: int
    commit: str
    nonce_commits: list[str | None]
    nonces: list[str | None]
    secret: str | None
    seed: str | None


class DealResponse(TermsResponse):
    """Facts of a deal, with the names of the seats."""

    players: list[str]


class MatchFactsResponse(MatchOverviewResponse, TermsResponse):
    """Public facts of a match."""

    made: float
    invited: int | None = None  # open seat of the invitation given as the token


class RematchResponse(StrictResponse):
    """Offer of a rematch: the new match, null while others have not offered it, and the seat there."""

    match: str | None
    seat: int


class NewSeatResponse(StrictResponse):
    """Seat of a new match: with a token for the requesting client, an invitation for others."""

    seat: int
    token: str = ""
    proven: bool = False
    invite: str = ""
    expires: float = 0.0


class NewMatchResponse(StrictResponse):
    """New match; `state` is that of its challenges to bots."""

    match: str
    commit: str
    seats: list[NewSeatResponse]
    state: str = ""


class AgentResponse(StrictResponse):
    """Opponent, with its shipped rating and its results against people on this server."""

    name: str
    says: Message
    rating: int | None
    interval: list[int] | None
    won: float | None
    games: int | None
    record: dict[str, int] | None
    bot: bool = False


class AgentsResponse(StrictResponse):
    """Opponents of a game."""

    game: str
    agents: list[AgentResponse]


class OptionResponse(StrictResponse):
    """Option of an agent: its default, and its values or the range of a number."""

    default: bool | int | float | str | None
    values: list[str] = []
    least: float = 0
    most: float = 0
    whole: bool = False


class OptionsResponse(StrictResponse):
    """Options that may be chosen, by agent."""

    game: str
    agents: dict[str, dict[str, OptionResponse]]


class PuzzleResponse(StrictResponse):
    """Puzzle as the seat to act sees it; `by` is the agent that judges the choices."""

    game: str
    number: int
    of: int
    look: str
    rules: dict[str, bool | int | str]
    by: str
    agents: list[str | None]
    view: ViewResponse


class SolutionResponse(StrictResponse):
    """Best choice in a puzzle and the cost of another, in points or as a share of the judge's choices."""

    unit: Literal["points", "share"]
    best: str
    says: Message
    cost: float
    share: float
    bars: list[dict[str, Any]]


class ActionHelpResponse(StrictResponse):
    """Sentence on the present call or stage, or on the effect of an action."""

    about: str | None
    says: Message


class AdviceResponse(StrictResponse):
    """Action that an agent has chosen, and why."""

    number: int
    action: str
    says: Message
    why: Message | None
    lines: list[Message]
    picture: dict[str, Any] | None
    agent: str | bool | None
    ply: int = -1
    seat: int = -1


class RunResponse(StrictResponse):
    """Tournament run: its state, and for one run also its experiment, table and files."""

    run: str
    changed: float
    told: str | None
    state: Literal["unreadable", "done", "running", "queued", "stopped"]
    game: str = ""
    agents: list[str] = []
    games: int = 0
    played: int = 0
    may: list[Literal["stop", "go"]]
    about: dict[str, Any] = {}
    made: dict[str, Any] | None = None
    table: dict[str, Any] | None = None
    files: dict[str, str] = {}


class RunsResponse(StrictResponse):
    """Tournament runs, the newest first."""

    runs: list[RunResponse]


class RunRowResponse(StrictResponse):
    """Game of a run."""

    row: int
    pairing: int
    deal: int
    rotation: int
    agents: list[str]
    scores: list[int]
    payoffs: list[float]
    plies: int
    forfeit: int | None
    reason: str | None


class RunRowsResponse(StrictResponse):
    """Games of a run; `next` is the first row of the next page."""

    games: list[RunRowResponse]
    next: int | None


class RunGameResponse(MatchOverviewResponse):
    """Game of a run, in the form of a match."""

    row: RunRowResponse


class StudyResponse(StrictResponse):
    """Public facts of a study; titles by language."""

    study: str
    title: dict[str, str]
    game: str
    languages: list[str]
    open: bool
    opened: bool
    room: bool
    signals: bool


class NewParticipantResponse(StrictResponse):
    """New participant."""

    token: str
    code: str


class StudyStepResponse(BaseModel):
    """Step of a participant, with what its page needs."""

    model_config = ConfigDict(extra="allow")

    number: int
    name: str
    of: int


class ParticipantResponse(StrictResponse):
    """Participant of a study, and the current step."""

    code: str
    state: str
    step: StudyStepResponse
    scripted: bool
