"""Export of a study, as a folder or a zip: all data of its participants except their identity.

Withdrawn participants only appear in a count.  The export reads one snapshot of the database while others write.
"""

import io
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread
from fastapi import FastAPI, Response
from sqlalchemy.engine import Connection, Engine

from bolicho import __version__
from bolicho.agents.cbr.truco.baseline import exported_cases, exported_columns
from bolicho.agents.cbr.truco.scenarios import TRUCO
from bolicho.errors import BadInput
from bolicho.files import write_text_atomic
from bolicho.games.record import write_record
from bolicho.store import database, studies
from bolicho.store.export_schema import (
    CASES,
    DICTIONARY,
    HUMAN,
    PLAN,
    README,
    RECORDS,
    TABLES,
    Column,
    write_dictionary,
    write_table,
    written_time,
)
from bolicho.store.studies import Participant, StepRow, StudyMatch
from bolicho.web.app_state import AppState
from bolicho.web.match import Match
from bolicho.web.schemas import Bearer, Number, allowed, needed_token
from bolicho.web.study.participation import MOMENTS, asked, known_study, way
from bolicho.web.study.parts import PERSON, Plan
from bolicho.web.study.plan import read_plan
from bolicho.web.study.seating import Step, opponent
from bolicho.web.study.signals import SIGNALS, signals
from bolicho.web.transactions import Transaction

Row = dict[str, Any]
Rows = list[Row]

NAMES = {
    RECORDS,
    PLAN,
    DICTIONARY,
    README,
    *(f"{name}.{end}" for name in (*TABLES, CASES) for end in ("csv", "parquet")),
}


# --- Folder and zip -----------------------------------------------------------------------------


def export_folder(engine: Engine, study: str, out: Path) -> dict[str, int]:
    """Write the folder `out`, or replace an earlier export; return the number of rows of each table."""
    with new_folder(out) as folder:
        return write_export(engine, study, folder)


def unpack(packed: bytes, out: Path) -> None:
    """Extract a zip of `export_zip` to the folder `out`."""
    with new_folder(out) as folder, zipfile.ZipFile(io.BytesIO(packed)) as file:
        for name in file.namelist():
            if Path(name).name in NAMES:
                (folder / Path(name).name).write_bytes(file.read(name))


@contextmanager
def new_folder(out: Path, more: Collection[str] = ()) -> Iterator[Path]:
    """Yield a new folder that replaces `out` when the block ends; `out` may only hold an earlier export.

    `more` are names of files besides those of an export.
    """
    check_folder(out, more)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as beside:
        new, old = Path(beside) / "new", Path(beside) / "old"
        new.mkdir()
        yield new
        if out.exists():
            out.rename(old)
        new.rename(out)


def check_folder(out: Path, more: Collection[str] = ()) -> None:
    """Refuse a place that holds anything but an earlier export."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise BadInput(f"{str(out)!r} is not a folder; name one that does not exist yet")
    others = sorted({path.name for path in out.iterdir()} - NAMES - set(more)) if out.exists() else []
    if others:
        raise BadInput(f"{str(out)!r} holds {others[0]!r}, which is not overwritten; name a new folder")


def export_zip(engine: Engine, study: str) -> bytes:
    """Return the export as a zip, which unpacks as STUDY/."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        write_export(engine, study, Path(folder))
        for path in sorted(Path(folder).iterdir()):
            file.write(path, f"{study}/{path.name}")
    return packed.getvalue()


def write_export(engine: Engine, study: str, folder: Path) -> dict[str, int]:
    """Write all files into a folder; return the number of rows of each table."""
    with database.snapshot(engine) as connection:
        row = studies.named_study(connection, study)
        found = read_rows(connection, study, read_plan(row.plan))
    tables = write_rows(folder, found, row.plan)
    write_text_atomic(folder / README, _readme(study, found, tables))
    return {name: len(found.tables[name]) for name in tables}


def write_rows(folder: Path, found: "Found", plan: str) -> dict[str, tuple[Column, ...]]:
    """Write all tables, their dictionary, the records and the plan; return the columns of the tables."""
    tables: dict[str, tuple[Column, ...]] = dict(TABLES)
    if found.plan.game == TRUCO.game:
        tables[CASES] = exported_columns()
    for name, columns in tables.items():
        write_table(folder, name, columns, found.tables[name])
    write_dictionary(folder, tables)
    write_text_atomic(folder / RECORDS, "".join(f"{line}\n" for line in found.records.values()))
    write_text_atomic(folder / PLAN, plan)
    return tables


# --- Rows ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """Rows of all tables, and the matches as records."""

    plan: Plan
    tables: dict[str, Rows]
    records: dict[str, str]  # by match id

    def place(self, step: int) -> int | None:
        """Return the number of the match that a step plays or asks about."""
        return way(self.plan)[step - 1].place or None


def read_rows(connection: Connection, study: str, plan: Plan) -> Found:
    """Return the rows of all tables, and the matches as records."""
    everybody = studies.read_participants(connection, study)
    found = Found(plan, {name: [] for name in (*TABLES, CASES)}, {})
    found.tables["states"] += _states(study, everybody)
    pages, played = (
        _by_code(studies.read_steps(connection, study)),
        _by_code(studies.read_study_matches(connection, study)),
    )
    times = studies.read_decision_times(connection, study)
    for one in everybody:
        if one.state not in studies.GONE:
            who = {"study": study, "participant": one.code, "scripted": one.scripted}
            found.tables["participants"].append(who | _participant(one))
            mine = [match for match in played.get(one.code, []) if match.dealt is not None]
            _add_matches(found, connection, who, mine)
            _add_pages(found, who, one, pages.get(one.code, []), mine)
            told = signals(plan, pages.get(one.code, []), times.get(one.code, []))
            found.tables["signals"] += [who | {"signal": s.name, "count": s.count, "of": s.of} for s in told]
    return found


Of = TypeVar("Of", StepRow, StudyMatch)


def _by_code(rows: Iterable[Of]) -> dict[str, list[Of]]:
    """Group rows by participant, in the order of the steps."""
    found: dict[str, list[Of]] = {}
    for row in sorted(rows, key=lambda row: row.step):
        found.setdefault(row.code, []).append(row)
    return found


def _add_matches(found: Found, connection: Connection, who: Row, played: list[StudyMatch]) -> None:
    """Add the matches of a participant with their moves and hands."""
    after: str | None = None
    for one in played:
        match, moves = _replayed(connection, one.match)
        match.table.players = [HUMAN if seat in match.people else one.agent for seat in range(match.game.seats)]
        found.records.setdefault(one.match, write_record(match.table.record()))
        about = who | {"match": one.match, "practice": one.practice}
        facts = {
            "record": 1 + list(found.records).index(one.match), "step": one.step, "agent": one.agent,
            "label": one.label, "seat": one.seat,
            "place": found.place(one.step), "after": None if one.practice else after,
            "played": next((seat.agent for seat in match.sitting if seat.agent is not None), PERSON),
        }  # fmt: skip
        found.tables["matches"].append(about | facts | _course(match, one.seat))
        times = database.read_decisions(connection, one.match)
        found.tables["moves"] += [about | move for move in _moves(match, moves, one.seat, times)]
        if found.plan.game == TRUCO.game:
            hands = enumerate(exported_cases(match.table, one.seat), 1)
            found.tables[CASES] += [about | {"hand": number} | case for number, case in hands]
        after = after if one.practice else one.agent


def _add_pages(found: Found, who: Row, one: Participant, pages: list[StepRow], played: list[StudyMatch]) -> None:
    """Add the pages of a participant and the answers, one row per question of each answered page."""
    about = {found.place(one.step): one for one in played if not one.practice}
    for row in pages:
        found.tables["pages"].append(who | _page(row))
        if row.name == "match" and opponent(found.plan, one.row, found.place(row.step) or 0) == PERSON:
            place = found.place(row.step)
            found.tables["meetings"].append(who | {"place": place} | _meeting(row, about.get(place)))
        if row.name in MOMENTS and row.answers is not None:
            place = found.place(row.step)
            match = about.get(place) if place else None
            facts = {"step": row.step, "name": row.name, "place": place}
            planned = opponent(found.plan, one.row, place) if place else None  # all that is left of a deleted match
            facts |= {"match": match and match.match, "agent": match.agent if match else planned}
            answers = _answers(found.plan, who, row)
            found.tables["answers"] += [who | facts | answer for answer in answers]


def _answers(plan: Plan, who: Row, row: StepRow) -> Rows:
    """Return the answers of a page, in the order in which the participant got the questions."""
    given = row.answers or {}
    order = asked(who["study"], plan, who["participant"], row.step, Step(row.name))
    found = []
    for position, question in enumerate(order, 1):
        answer = given.get(question.name)
        is_check = question.correct is not None and answer is not None
        facts = {"item": question.name, "position": position, "answer": answer, "construct": question.construct}
        found.append(facts | {"correct": answer == question.correct if is_check else None})
    return found


def _meeting(row: StepRow, match: StudyMatch | None) -> dict[str, Any]:
    """Return how a participant met another one, from the page of the match and, if there was one, the match."""
    began = match.dealt if match else row.done if (row.answers or {}).get("met") == "nobody" else None
    facts = {"step": row.step, "match": match and match.match, "waited": began and max(0.0, began - row.shown)}
    return facts | {"outcome": _outcome(row, match)}


def _outcome(row: StepRow, match: StudyMatch | None) -> str | None:
    if match is None:
        return None if row.done is None else (row.answers or {}).get("met", "withdrawn")
    if match.result is None:
        return None
    if match.agent != PERSON:
        return "agent"
    claimed = match.result["claimed"]
    return "played" if claimed is None else "claimed" if claimed == match.seat else "left"


def _states(study: str, everybody: list[Participant]) -> Rows:
    return [
        {"study": study, "scripted": scripted, "state": state, "participants": count}
        for scripted in (False, True)
        for state, count in studies.counted(one for one in everybody if one.scripted == scripted).items()
        if count or not scripted
    ]


def _participant(one: Participant) -> dict[str, Any]:
    names = ("state", "replaced", "language", "consent")
    seen = None if one.state in studies.BEFORE_CONSENT else one.seen
    return {"sequence": one.row, "seen": written_time(seen), **{name: getattr(one, name) for name in names}}


def _page(row: StepRow) -> dict[str, Any]:
    seconds = None if row.done is None else row.done - row.shown
    times: Row = {"shown": written_time(row.shown), "done": written_time(row.done), "seconds": seconds}
    times["read"] = row.measured and row.measured["read"]
    return {"step": row.step, "name": row.name, **times}


def _replayed(connection: Connection, number: str) -> tuple[Match, list[tuple[int, int, float]]]:
    """Replay a stored match; return it and its moves."""
    found = database.read_match(connection, number)
    assert found is not None
    match, moves = Match(*found), database.read_moves(connection, number)
    for _, action, at in moves:
        match.play(action, at)
    return match, moves


def _course(match: Match, mine: int) -> dict[str, Any]:
    began, ended, scores = match.row.dealt, match.row.ended, match.table.scores
    facts: dict[str, Any] = {
        "began": written_time(began),
        "ended": written_time(ended),
        "moves": match.ply,
        "points": scores[mine],
    }
    facts["against"] = max(score for seat, score in enumerate(scores) if seat != mine)
    facts["seconds"] = None if ended is None or began is None else ended - began
    winners = None if match.row.result is None else match.row.result["winners"]
    other = PERSON if len(match.people) > 1 else "agent"
    facts["winner"] = None if winners is None else "participant" if mine in winners else other if winners else "nobody"
    return facts


def _moves(
    match: Match, moves: list[tuple[int, int, float]], mine: int, decided: Mapping[int, float]
) -> Iterator[dict[str, Any]]:
    times = [match.row.dealt or match.row.made, *(at for _, _, at in moves)]
    for ply, ((seat, _, at), (earlier, later)) in enumerate(zip(moves, pairwise(times), strict=True)):
        if seat != mine and seat in match.people:
            continue  # the other participant has a row of it
        facts: Row = {"ply": ply, "seat": seat, "by": "participant" if seat == mine else "agent"}
        action = str(match.table.actions[ply])
        facts["decided"] = decided.get(ply)
        yield facts | {"action": action, "at": written_time(at), "seconds": max(0.0, later - earlier)}


# --- README -------------------------------------------------------------------------------------


ABOUT = {
    "states": "how many participants are in which state; of those who declined or withdrew nothing else is here",
    "participants": "a row a participant",
    "pages": "a row a page that a participant was shown, with times",
    "matches": "a row a match; a match of two participants has a row for each",
    "meetings": "a row each time that a participant was to meet another one",
    "moves": "a row an action of a match, with times",
    "answers": "a row a question that was answered or left blank; what a participant was not asked has no row",
    "signals": "a row a participant and sign of careless or automated participation; nothing is left out for one",
    CASES: "a row a finished hand as the participant saw it; `bolicho train cbr-baseline source=FOLDER` makes a base",
}


def _readme(study: str, found: Found, tables: Mapping[str, Any]) -> str:
    title = found.plan.title.get("en") or next(iter(found.plan.title.values()))
    lines = [f"# {title}", "", f"Study `{study}`, handed out by bolicho {__version__}.", ""]
    lines += [f"- {_counted(row)}" for row in found.tables["states"] if row["participants"]]
    lines += [
        "",
        "Every table is here twice, with the same cells: as CSV (UTF-8, commas, RFC 4180) and as Parquet.",
        "",
    ]
    for name in tables:
        lines.append(f"- `{name}`: {ABOUT[name]}")
        lines += [f"  - {signal}: {meaning}" for signal, meaning in SIGNALS.items() if name == "signals"]
    lines += [
        f"- `{RECORDS}`: the matches as records, a line each, in the order of `matches`: `bolicho replay {RECORDS}`",
        f"- `{PLAN}`: the study's file, with the wording of every question",
        f"- `{DICTIONARY}`: what every column means",
        "",
        "A blank is an empty cell (NULL in Parquet). Times are UTC. `scripted` is true for programs that took the",
        "place of participants in a rehearsal: leave them out of whatever you say about people.",
        "",
        "Written answers stand as they were typed: read them before you pass them on. A cell may begin with `=`, `+`,",
        "`-`, `@` or a tab, and a spreadsheet that opens the CSV file by a double click runs it as a formula. Import",
        "the file as text instead: in Excel *Data*, *From Text/CSV*, *Do not detect data types*; in LibreOffice mark",
        "all columns in the import window, choose the type *Text*, and leave *Evaluate formulas* off. R, Python and",
        "Jamovi run nothing.",
        "",
    ]
    return "\n".join(lines)


def _counted(row: Mapping[str, Any]) -> str:
    return f"{row['state']}: {row['participants']}{' (scripted)' if row['scripted'] else ''}"


# --- HTTP ---------------------------------------------------------------------------------------


def add(app: FastAPI, app_state: AppState) -> None:
    """Add the route that serves the zip."""

    @app.get("/api/research/studies/{study}/export.zip")
    async def export(study: Number, authorization: Bearer = None) -> Response:
        """Return the export of `bolicho study export` as a zip."""
        token = needed_token(authorization)
        app_state.questions.take(token)

        def check(transaction: Transaction) -> None:
            allowed(transaction, token, "research")
            known_study(transaction.connection, study)

        await app_state.transactions.ask(check)
        packed = await anyio.to_thread.run_sync(export_zip, app_state.transactions.engine, study)
        headers = {"content-disposition": f'attachment; filename="{study}.zip"', "cache-control": "no-store"}
        return Response(packed, 200, headers, "application/zip")
