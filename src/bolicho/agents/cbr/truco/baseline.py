"""Synthetic baseline: hands observed between the scripted styles.

The 3,195 human hands of the research group are not public (Paulus 2020, Paulus et al.). This base has as many, from
matches between scripted players of different styles, and its metadata marks it as synthetic. A base of human hands is
made from a `source`: records, cases, the export of a study, or the database of the web server.
"""

import itertools
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.cbr.bases import written
from bolicho.agents.cbr.casebase import CaseBase, Cases, cases_of, read_cases
from bolicho.agents.cbr.clusters import ALGORITHMS, check_algorithm, clustered
from bolicho.agents.cbr.observe import cases_of_game, cases_of_table
from bolicho.agents.cbr.truco.scenarios import TRUCO
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.registry import agent
from bolicho.agents.rules import TRUCO_STYLES
from bolicho.agents.training import whole_numbers
from bolicho.errors import BadInput, unknown
from bolicho.files import open_regular
from bolicho.games import game
from bolicho.games.game import Table
from bolicho.games.record import read_records, replay
from bolicho.store.artifact import Arrays
from bolicho.store.export_schema import CASE_COLUMNS, CASES, HUMAN, Column, case_columns, read_table

HANDS = 3195  # Paulus 2020, section 3.1
SEED = 1
RECORDS = (".json", ".jsonl")
SQLITE = b"SQLite format 3\0"  # first bytes of a SQLite file
AGAINST = ("people", "anybody")
"""Opponents in the observed matches of a database: people, as in section 3.1 of Paulus 2020, or also agents."""


class Observation:
    """Learner of hands from matches between all pairs of styles (or those named), one seat of each drawn at random.

    With a `source`, a file of recorded matches (.json, .jsonl) or of cases that may lack their groups (.csv, .parquet),
    the hands are those of the source; in a match those of the seats named `human`, or of both where there is none. With
    the export folder of a study they are those of people: one player per match is observed. Practice hands are left
    out, and those of scripted participants unless `scripted`.

    With the database of the web server (a SQLite file, or a PostgreSQL address) they are those of one seat of each
    finished match, drawn by the seed among the seats of people. Included are matches between people in which all
    players agreed to show all cards after the end; matches against agents and those of studies only on request.
    """

    unit = "hands"

    def __init__(
        self,
        hands: int = HANDS,
        seed: int = SEED,
        styles: Sequence[str] = (),
        source: Path | str | None = None,
        scripted: bool = False,
        against: str = AGAINST[0],
        studies: bool = False,
        clustering: str = ALGORITHMS[0],
    ) -> None:
        whole_numbers(hands=hands)
        check_algorithm(clustering)
        self._clustering = clustering
        for style in styles:
            if style not in TRUCO_STYLES:
                raise unknown("scripted style", style, TRUCO_STYLES)
        if source and styles:
            raise BadInput("a source contains its own hands: give source or styles, not both")
        stored = source is not None and _is_database(source)
        if against not in AGAINST:
            raise unknown("opponent", against, AGAINST)
        if (studies or against != AGAINST[0]) and not stored:
            raise BadInput("against and studies select matches of a database: give source=DATABASE with them")
        if scripted and not (studies or (source and Path(source).is_dir())):
            raise BadInput(
                "scripted participants exist only in the folder of a study, or in a database: "
                "give source=FOLDER, or source=DATABASE studies=true, with scripted=true"
            )
        self._rng = np.random.default_rng(seed)
        if source is None:
            self.cases = np.zeros(0, TRUCO.schema.dtype)
        elif stored:
            self.cases = _stored(str(source), against, studies, scripted, self._rng)
        else:
            self.cases = _read(Path(source), scripted, self._rng)
        self.total, self.done = len(self.cases) or hands, len(self.cases)
        name, kind = (Path(source).stem, "recorded") if source else ("baseline", "synthetic")
        self.facts: dict[str, Any] = {"name": name, "kind": kind, "game": TRUCO.game, "hands": self.total, "seed": seed}
        if scripted:
            self.facts["kind"] = "recorded, scripted participants among them"
        if styles:
            self.facts["styles"] = list(styles)
        if clustering != ALGORITHMS[0]:
            self.facts["clustering"] = clustering
        self._players = [partial(agent, style) for style in styles or TRUCO_STYLES]

    def step(self) -> None:
        truco = game(TRUCO.game)
        pairs = list(itertools.product(range(len(self._players)), repeat=2))
        drawn = self._rng.integers(2**64, size=(len(pairs), 3), dtype=np.uint64).tolist()
        deals = [Deal(cards, pair, luck) for pair, (cards, *luck) in zip(pairs, drawn, strict=True)]
        played = sorted(play_deals(truco, self._players, deals), key=lambda outcome: outcome.number)
        for deal, outcome in zip(deals, played, strict=True):
            new = cases_of_game(TRUCO, truco.deal(deal.seed), outcome.actions, int(self._rng.integers(2)))
            self.cases = np.concatenate([self.cases, new])[: self.total]
        self.done = len(self.cases)

    def state(self) -> Arrays:
        chance = json.dumps(self._rng.bit_generator.state).encode()
        return {"cases": self.cases.view(np.uint8), "chance": np.frombuffer(chance, np.uint8)}

    def restore(self, state: Arrays) -> None:
        self.cases = state["cases"].view(TRUCO.schema.dtype)
        self._rng.bit_generator.state = json.loads(state["chance"].tobytes())

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        return written(self.base(story), out)

    def base(self, story: dict[str, Any]) -> CaseBase:
        """Return the base of the hands, with its groups."""
        return clustered(TRUCO, self.cases, story, self._clustering)


# --- Sources ------------------------------------------------------------------------------------


def _is_database(source: Path | str) -> bool:
    """Return whether a source is a database address or an SQLite file."""
    if "://" in str(source):
        return True
    try:
        with open_regular(source) as file:
            return file.read(len(SQLITE)) == SQLITE
    except (OSError, BadInput):  # the next reader reports the problem
        return False


def _stored(source: str, against: str, studies: bool, scripted: bool, chance: np.random.Generator) -> Cases:
    """Return the hands of one seat, drawn among the people's, of every match of a database that may be exported."""
    try:
        from sqlalchemy import make_url

        from bolicho.store.database import open_database, snapshot
        from bolicho.store.finished import count, finished
    except ImportError as problem:
        raise BadInput(f"a database needs the web extra: pip install 'bolicho[web]' ({problem})") from None
    if "://" in source and make_url(source).password is not None:
        raise BadInput("the command is stored in the base: omit the password from source, and set PGPASSWORD instead")
    found, agents = [np.zeros(0, TRUCO.schema.dtype)], 0
    with snapshot(open_database(source)) as connection:
        for match in finished(connection, TRUCO.game, studies, scripted):
            if len(match.people) < (2 if against == "people" else 1):
                agents += bool(match.people)
                continue
            seat = match.people[int(chance.integers(len(match.people)))]
            found.append(cases_of_game(TRUCO, match.deal(), match.actions, seat))
        counts = count(connection, TRUCO.game)
    cases = np.concatenate(found)
    if not len(cases):
        raise BadInput(
            f"no finished hand of truco between people in {source.rpartition('/')[2]!r}: of its matches {agents} are "
            f"against agents (against=anybody), {counts['study']} of studies (studies=true), {counts['closed']} not "
            f"released, {counts['unfinished']} not finished"
        )
    return cases


def _read(path: Path, scripted: bool, chance: np.random.Generator) -> Cases:
    if path.is_dir():
        cases = _exported(path, scripted, chance)
    else:
        cases = _watched(path) if path.suffix in RECORDS else read_cases(TRUCO.schema, path, labels=False)[0]
    if not len(cases):
        raise BadInput(f"{path} contains no finished hand of truco")
    return cases


def _exported(folder: Path, scripted: bool, chance: np.random.Generator) -> Cases:
    """Return the hands of a study's export; for two participants in one match, those of one, drawn."""
    columns = exported_columns()
    rows = [row for row in read_table(folder, CASES, columns) if not row["practice"]]
    people = [row for row in rows if scripted or not row["scripted"]]
    if rows and not people:
        raise BadInput(f"all hands in {str(folder)!r} are of scripted participants; scripted=true includes them")
    sitting: dict[str, dict[str, None]] = {}  # by match, in the order of the file
    for row in people:
        sitting.setdefault(row["match"], {})[row["participant"]] = None
    drawn = {match: [*who][int(chance.integers(len(who))) if len(who) > 1 else 0] for match, who in sitting.items()}
    people = [row for row in people if drawn[row["match"]] == row["participant"]]
    names = [column.name for column in columns[len(CASE_COLUMNS) :]]
    table = {name: np.array([row[name] for row in people], object) for name in names}
    return cases_of(TRUCO.schema, folder / f"{CASES}.csv", table, labels=False)


def exported_columns() -> tuple[Column, ...]:
    """Return the columns of a study's exported cases: the owner of the hand, and the case without its groups."""
    return case_columns({c.name: c.meaning for c in TRUCO.schema.columns if not c.derived})


def exported_cases(table: Table, seat: int) -> list[dict[str, int]]:
    """Return the finished hands of a table, as a seat saw them, as rows of exported cases."""
    cases = cases_of_table(TRUCO, table, seat)
    columns = {c.name: TRUCO.schema.column(cases, c).tolist() for c in TRUCO.schema.columns if not c.derived}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _watched(path: Path) -> Cases:
    found = [np.zeros(0, TRUCO.schema.dtype)]
    for number, record in enumerate(read_records(path), 1):
        try:
            table = replay(record)
        except BadInput as problem:
            raise BadInput(f"{path}, record {number}: {problem}") from None
        if table.game.name == TRUCO.game:
            people = [seat for seat, name in enumerate(table.players or ()) if name == HUMAN]
            found += [cases_of_table(TRUCO, table, seat) for seat in people or (0, 1)]
    return np.concatenate(found)
