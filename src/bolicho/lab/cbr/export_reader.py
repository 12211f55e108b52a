"""Reader of the folder that `bolicho study export` writes, for stage 4."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bolicho.errors import BadInput
from bolicho.store.export_schema import PERSON, PLAN, TABLES, read_table
from bolicho.strict import read_toml

QUALITIES = ("competence", "coherence", "predictability", "fun")
"""Questions after a match, answered from 1 (very bad) to 5 (very good; for predictability, very unpredictable)."""

EXPERIENCE = "experience"  # name of the only question that is asked once
SCALE = range(1, 6)
NOT_SAID = "not said"


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
    """Answer of a participant to a question about a match; None if left blank."""

    participant: str
    agent: str
    place: int
    quality: str
    mark: int | None


@dataclass(frozen=True)
class Export:
    """The rows of the export that stage 4 uses."""

    matches: Sequence[AgentMatch]
    answers: Sequence[Answer]
    experience: Mapping[str, str]  # answer of each participant, in words
    words: Sequence[str]  # possible answers in words, in the order of the question
    left_out: str
    meetings: Sequence[ParticipantMatch] = ()  # matches between two participants, without an agent
    about_people: Sequence[Answer] = ()  # answers about the matches in `meetings`


def read_export(folder: Path, scripted: bool = False) -> Export:
    """Read the finished matches and the answers of a study; those of scripted participants only with `scripted`."""
    plan = _plan(folder)
    if plan.get("game") != "truco":
        raise BadInput(f"this study is about truco, and {str(folder)!r} about {plan.get('game')!r}")
    rows = {name: read_table(folder, name, TABLES[name]) for name in ("matches", "answers", "participants", "states")}
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
    said = [row for row in rows["answers"] if row["participant"] in wanted]
    answers = [
        Answer(row["participant"], row["agent"] or "", row["place"] or 0, row["item"], _mark(folder, number, row))
        for number, row in enumerate(rows["answers"], 1)
        if row["item"] in QUALITIES and row["participant"] in wanted
    ]
    words = _choices(plan)
    experience = {row["participant"]: _in_words(row["answer"], words) for row in said if row["item"] == EXPERIENCE}
    others = [row for row in rows["participants"] if row["participant"] not in wanted]
    gone = sum(row["participants"] for row in rows["states"] if row["state"] == "withdrawn" and not row["scripted"])
    unfinished = len({row["match"] for row in counted if row["ended"] is None})
    left_out = (
        f"Left out: {unfinished} matches that were not finished, those for practice, and {len(others)}"
        f" scripted participants. {gone} people withdrew; nothing of theirs is in the data."
    )
    return Export(
        matches,
        [one for one in answers if one.agent != PERSON],
        experience,
        [*words.values()],
        left_out,
        meetings,
        [one for one in answers if one.agent == PERSON],
    )


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


def _choices(plan: Mapping[str, Any]) -> dict[str, str]:
    """Return the choices of the question about experience, value to words, in the order of the study's file."""
    asked = [item for item in plan.get("questions", ()) if item.get("name") == EXPERIENCE]
    choices = asked[0].get("choices", ()) if asked else ()
    return {one["value"]: one["text"].get("en") or next(iter(one["text"].values())) for one in choices}


def _in_words(answer: str | None, words: Mapping[str, str]) -> str:
    return NOT_SAID if answer is None else words.get(answer, answer)
