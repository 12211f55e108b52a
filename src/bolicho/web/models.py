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


TableShown: Any = _tables()


class Shown(BaseModel):
    """Part of a response."""

    model_config = ConfigDict(extra="forbid")


class LegalShown(Shown):
    """Legal action: its text, and its name for people."""

    action: str
    says: Message


class ViewShown(Shown):
    """View of a seat, or of the public (docs/views.md)."""

    game: str
    rules: dict[str, bool | int | str]
    seat: int | None
    turn: int | None
    over: bool
    scores: list[int]
    ply: int | None
    legal: list[LegalShown]
    log_from: int
    log: list[dict[str, Any]]
    table: TableShown
    svg: str = ""  # drawing of a game without a page module


class PlayerShown(Shown):
    """Player at a seat; `agent` is its spec, or only whether it is an agent if the match hides names."""

    name: str
    agent: str | bool | None
    taken: bool
    here: bool


class ClockShown(Shown):
    """Seconds left for each seat, and the seat whose clock runs."""

    left: list[float]
    running: int | None


class StateShown(Shown):
    """State of a match, as everybody may see it."""

    players: list[PlayerShown]
    state: Literal["waiting", "playing", "over", "void"]
    result: dict[str, Any] | None
    clock: ClockShown | None
    claim: dict[str, Any] | None
    reveal: dict[str, Any] = {}
    challenge: dict[str, Any] = {}
    stops: list[int] = []  # seats that offer to stop
    evening: dict[str, list[int]] = {}  # after the end: games `won` at this table, `points` of its series, by seat
    rematch: dict[str, Any] = {}  # `seats` that offer one, and the `match` once it exists


class MatchShown(StateShown):
    """Match from one audience's view: the current view, and those of the plies since the last reply."""

    is_: Literal["view"]
    ply: int
    view: ViewShown | None
    frames: list[ViewShown]

    model_config = ConfigDict(extra="forbid", alias_generator=lambda name: name.removesuffix("_"))


class AboutShown(StateShown):
    """Match with its game and options; `look` is the page module that draws it."""

    match: str
    game: str
    look: str
    seats: int
    rules: dict[str, bool | int | str]
    options: dict[str, Any]
    ply: int
    judged: bool  # whether its decisions can be analysed after the end


class TermsShown(Shown):
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


class DealShown(TermsShown):
    """Facts of a deal, with the names of the seats."""

    players: list[str]


class FactsShown(AboutShown, TermsShown):
    """Public facts of a match."""

    made: float
    invited: int | None = None  # open seat of the invitation given as the token


class RematchMade(Shown):
    """Offer of a rematch: the new match, null while others have not offered it, and the seat there."""

    match: str | None
    seat: int


class SeatMade(Shown):
    """Seat of a new match: with a token for the requesting client, an invitation for others."""

    seat: int
    token: str = ""
    proven: bool = False
    invite: str = ""
    expires: float = 0.0


class MatchMade(Shown):
    """New match; `state` is that of its challenges to bots."""

    match: str
    commit: str
    seats: list[SeatMade]
    state: str = ""


class AgentShown(Shown):
    """Opponent, with its shipped rating and its results against people on this server."""

    name: str
    says: Message
    rating: int | None
    interval: list[int] | None
    won: float | None
    games: int | None
    record: dict[str, int] | None
    bot: bool = False


class AgentsShown(Shown):
    """Opponents of a game."""

    game: str
    agents: list[AgentShown]


class OptionShown(Shown):
    """Option of an agent: its default, and its values or the range of a number."""

    default: bool | int | float | str | None
    values: list[str] = []
    least: float = 0
    most: float = 0
    whole: bool = False


class OptionsShown(Shown):
    """Options that may be chosen, by agent."""

    game: str
    agents: dict[str, dict[str, OptionShown]]


class PuzzleShown(Shown):
    """Puzzle as the seat to act sees it; `by` is the agent that judges the choices."""

    game: str
    number: int
    of: int
    look: str
    rules: dict[str, bool | int | str]
    by: str
    agents: list[str | None]
    view: ViewShown


class SolutionShown(Shown):
    """Best choice in a puzzle and the cost of another, in points or as a share of the judge's choices."""

    unit: Literal["points", "share"]
    best: str
    says: Message
    cost: float
    share: float
    bars: list[dict[str, Any]]


class MomentShown(Shown):
    """What is in force, or the effect of an action."""

    about: str | None
    says: Message


class ThoughtShown(Shown):
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


class RunShown(Shown):
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


class RunsShown(Shown):
    """Tournament runs, the newest first."""

    runs: list[RunShown]


class RowShown(Shown):
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


class RowsShown(Shown):
    """Games of a run; `next` is the first row of the next page."""

    games: list[RowShown]
    next: int | None


class GameShown(AboutShown):
    """Game of a run, in the form of a match."""

    row: RowShown


class StudyShown(Shown):
    """Public facts of a study; titles by language."""

    study: str
    title: dict[str, str]
    game: str
    languages: list[str]
    open: bool
    room: bool


class EnteredShown(Shown):
    """New participant."""

    token: str
    code: str


class StepShown(BaseModel):
    """Step of a participant, with what its page needs."""

    model_config = ConfigDict(extra="allow")

    number: int
    name: str
    of: int


class ParticipantShown(Shown):
    """Participant of a study, and the current step."""

    code: str
    state: str
    step: StepShown
    scripted: bool
