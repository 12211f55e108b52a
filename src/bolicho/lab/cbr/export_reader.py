"""Reader of the folder that `bolicho study export` writes, for stage 4."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bolicho.errors import BadInput
from bolicho.store.export_schema import PERSON, PLAN, TABLES, read_table
from bolicho.store.flow import STATES, Flow, flow
from bolicho.strict import read_toml

QUALITIES = ("competence", "coherence", "unpredictability", "fun")
"""Questions after a match, answered from 1 (very bad) to 5 (very good; very unpredictable)."""

OLDER = {"predictability": "unpredictability"}
"""Earlier names of questions, of which a high mark meant the same."""

EXPERIENCE = "experience"  # name of the question whose choices are steps of experience
SCALE = range(1, 6)


@dataclass(frozen=True)
class AgentMatch:
    """A finished match of an agent against a participant."""

    participant: str
    agent: str
    place: int  # position in the participant's order, from 1
    ahead: int  # points of the agent minus points of the participant


@dataclass(frozen=True)
class ParticipantMatch:
    """A finished match between two participants, who are in the order of the export's rows."""

    match: str
    participants: tuple[str, str]
    points: tuple[int, int]
    winner: str | None  # a participant, or None without a winner


@dataclass(frozen=True)
class Answer:
    """Mark of a participant for a quality of a match: the mean of its items; None if all were left blank."""

    participant: str
    agent: str
    place: int
    quality: str
    mark: float | None


@dataclass(frozen=True)
class LeftOut:
    """Matches and participants that the analysis leaves out."""

    unfinished: int = 0  # matches
    scripted: int = 0  # participants
    declined: int = 0
    withdrawn: int = 0


@dataclass(frozen=True)
class Export:
    """The rows of the export that stage 4 uses."""

    matches: Sequence[AgentMatch]
    answers: Sequence[Answer]
    experience: Mapping[str, str | None]  # value of the answer of each participant
    choices: Mapping[str, Mapping[str, str]]  # values of `experience` in order, with their words by language
    left_out: LeftOut = LeftOut()
    meetings: Sequence[ParticipantMatch] = ()  # matches between two participants, without an agent
    about_people: Sequence[Answer] = ()  # answers about the matches in `meetings`
    flow: Flow | None = None
    signals: Sequence[Mapping[str, Any]] = ()  # rows of the table
    items: Mapping[str, Sequence[Mapping[str, float]]] = field(default_factory=dict)  # marks of the pages, by quality

    def steps(self) -> dict[str, float]:
        """Return the experience of participants as a number of steps, of those who said it."""
        places = {value: float(place) for place, value in enumerate(self.choices)}
        return {who: places[value] for who, value in self.experience.items() if value in places}


def read_export(folder: Path, scripted: bool = False) -> Export:
    """Read the finished matches and the answers of a study; those of scripted participants only with `scripted`."""
    plan = _plan(folder)
    if plan.get("game") != "truco":
        raise BadInput(f"this study is about truco, and {str(folder)!r} about {plan.get('game')!r}")
    names = ("matches", "answers", "participants", "states", "signals")
    rows = {name: read_table(folder, name, TABLES[name]) for name in names}
    wanted = {row["participant"] for row in rows["participants"] if scripted or not row["scripted"]}
    counted = [row for row in rows["matches"] if row["participant"] in wanted and not row["practice"]]
    finished = [row for row in counted if row["ended"] is not None]
    matches = [
        AgentMatch(row["participant"], row["agent"], row["place"], row["against"] - row["points"])
        for row in finished
        if row["agent"] != PERSON
    ]
    meetings = _meetings([row for row in finished if row["agent"] == PERSON])
    if not matches and not meetings:
        raise BadInput(_nothing(folder, rows["participants"], scripted))
    answers, items = _answers(folder, plan, [row | {"row": n} for n, row in enumerate(rows["answers"], 1)], wanted)
    said = [row for row in rows["answers"] if row["participant"] in wanted and row["item"] == EXPERIENCE]
    flow_rows = [row for row in rows["states"] if scripted or not row["scripted"]]
    states = dict.fromkeys(STATES, 0)
    for row in flow_rows:
        states[row["state"]] += row["participants"]
    replaced = [row for row in rows["participants"] if row["participant"] in wanted and row["replaced"]]
    return Export(
        matches,
        [one for one in answers if one.agent != PERSON],
        {row["participant"]: row["answer"] for row in said},
        _choices(plan),
        LeftOut(
            len({row["match"] for row in counted if row["ended"] is None}),
            len({row["participant"] for row in rows["participants"]} - wanted),
            states["declined"],
            states["withdrawn"],
        ),
        meetings,
        [one for one in answers if one.agent == PERSON],
        flow(states, sum(row["state"] == "finished" for row in replaced)),
        [row for row in rows["signals"] if row["participant"] in wanted],
        items,
    )


def _answers(
    folder: Path, plan: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], wanted: set[str]
) -> tuple[list[Answer], dict[str, list[dict[str, float]]]]:
    """Return the marks by quality, and the pages of qualities with several items that were answered whole."""
    reversed_items = {one.get("name") for one in plan.get("questions", ()) if one.get("reverse")}
    pages: dict[tuple[str, str, int, str], dict[str, float | None]] = {}
    for row in rows:
        quality = row["construct"] or OLDER.get(row["item"], row["item"])
        if row["participant"] in wanted and quality in QUALITIES:
            mark = _mark(folder, row["row"], row)
            turned = None if mark is None else float(6 - mark if row["item"] in reversed_items else mark)
            about = (row["participant"], row["agent"] or "", row["place"] or 0, quality)
            pages.setdefault(about, {})[row["item"]] = turned
    answers, whole = [], {quality: list[dict[str, float]]() for quality in QUALITIES}
    for (who, agent, place, quality), marks in pages.items():
        given = {item: mark for item, mark in marks.items() if mark is not None}
        answers.append(Answer(who, agent, place, quality, sum(given.values()) / len(given) if given else None))
        if len(given) == len(marks) > 1:
            whole[quality].append(given)
    return answers, {quality: found for quality, found in whole.items() if found}


def _meetings(rows: Sequence[Mapping[str, Any]]) -> list[ParticipantMatch]:
    """Pair the two rows of each match between participants; skip a match if one of its participants is left out."""
    both: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        both.setdefault(row["match"], []).append(row)
    return [
        ParticipantMatch(
            match,
            (one["participant"], other["participant"]),
            (one["points"], other["points"]),
            next((row["participant"] for row in (one, other) if row["winner"] == "participant"), None),
        )
        for match, (one, other) in ((match, pair) for match, pair in both.items() if len(pair) == 2)
    ]


def _plan(folder: Path) -> dict[str, Any]:
    try:
        return read_toml((folder / PLAN).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise BadInput(f"there is no {PLAN} in {str(folder)!r}; name the folder of a `bolicho study export`") from None


def _nothing(folder: Path, participants: Sequence[Mapping[str, Any]], scripted: bool) -> str:
    """Return the error message for an export without usable matches."""
    if not scripted and participants and all(row["scripted"] for row in participants):
        return f"all participants in {str(folder)!r} are scripted; --scripted shows them, and says so"
    return f"there is no finished match in {str(folder)!r}"


def _mark(folder: Path, number: int, row: Mapping[str, Any]) -> int | None:
    where = f"{folder / 'answers.csv'}, row {number}"
    if row["agent"] is None or row["place"] is None:
        raise BadInput(f"{where}: {row['item']} is a question about a match, and this is about none")
    if row["answer"] is None:
        return None
    if row["answer"] not in map(str, SCALE):
        raise BadInput(f"{where}: {row['item']} is {row['answer']!r}, and may be 1 to 5, or blank")
    return int(row["answer"])


def _choices(plan: Mapping[str, Any]) -> dict[str, Mapping[str, str]]:
    """Return the choices of the question about experience, value to words, in the order of the study's file."""
    asked = [item for item in plan.get("questions", ()) if item.get("name") == EXPERIENCE]
    choices = asked[0].get("choices", ()) if asked else ()
    return {one["value"]: one["text"] for one in choices}
