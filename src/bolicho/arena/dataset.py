"""Dataset of decisions in agents' games: views, legal actions, choices, and a strategy's mixtures and values.

A row is a decision. Games are those of `meet`: every deal is played in every rotation of the agents. For matches of
Truco a strategy such as `cfr` gives the value of every legal action; for other games it gives its mixture alone.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bolicho import __version__
from bolicho.agents.agent import Agent
from bolicho.agents.cfr.analyse import Judge, hand_of
from bolicho.agents.loop import play_deals
from bolicho.agents.mirrored_games import deal_seed, in_rotation
from bolicho.agents.mixture import mixture_of
from bolicho.agents.registry import agent, recipe
from bolicho.errors import BadInput
from bolicho.files import atomic_path, write_text_atomic
from bolicho.games.game import Game, Table
from bolicho.games.record import write_record
from bolicho.store.file_checksums import SUMS, write_sums
from bolicho.store.licences import licence_text

DECISIONS, LINES, GAMES = "decisions.parquet", "decisions.jsonl", "games.jsonl"
CARD, LICENCE = "README.md", "LICENSE.txt"
FILES = {DECISIONS, GAMES, CARD, LICENCE, LINES, SUMS}
BLOCK = 100  # games that are played together

COLUMNS = {
    "game": ("BIGINT", "number of the game: its line in games.jsonl, from 1"),
    "deal": ("BIGINT", "number of the deal, from 0; the rotations of a deal share its cards"),
    "ply": ("INTEGER", "number of the action in the game, from 0"),
    "seat": ("INTEGER", "who decides, from 0"),
    "agent": ("VARCHAR", "spec of the agent that decided"),
    "view": ("VARCHAR", "what the seat knew, as JSON"),
    "text": ("VARCHAR", "the same as text for people and language models"),
    "legal": ("VARCHAR[]", "texts of the legal actions"),
    "action": ("VARCHAR", "the action that was chosen, one of legal"),
    "mixture": ("DOUBLE[]", "probability of each legal action by the strategy; null where it states none"),
    "values": ("DOUBLE[]", "points of the hand for each legal action, if both continue with the strategy; null where \
not computed"),
    "payoff": ("DOUBLE", "payoff of the seat at the end of the game"),
}  # fmt: skip
"""Columns of the decisions: type in Parquet, and meaning."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """Size and content of a dataset."""

    deals: int
    seed: int
    by: str | None = None  # strategy whose mixtures and values are added
    views: bool = True  # False: no view as JSON, which is the largest column
    lines: bool = False  # True: also as JSON lines
    licence: str = "CC-BY-4.0"


def write_dataset(
    game: Game, agents: Sequence[str], wanted: Wanted, out: Path, command: str, advance: Callable[[int], None]
) -> dict[str, Any]:
    """Play the games and write the folder; `advance` is called with the number of finished games."""
    notice = licence_text(wanted.licence)
    if len(agents) != game.seats:
        raise BadInput(f"{game.name} has {game.seats} seats, but {len(agents)} agents were given")
    if out.exists() and {path.name for path in out.iterdir()} - FILES:
        raise BadInput(f"{str(out)!r} holds other files; name a new folder")
    solver = None if wanted.by is None else Solver(game, wanted.by)
    out.mkdir(parents=True, exist_ok=True)
    rows, records = list[Row](), list[str]()
    for table, seated, deal, payoffs in _played(game, agents, wanted):
        record = table.record()
        number = len(records) + 1
        for row in decisions(table, solver, wanted.views):
            about = {"game": number, "deal": deal, "agent": seated[row["seat"]], "payoff": payoffs[row["seat"]]}
            rows.append(about | row)
        records.append(write_record(record))
        advance(number)
    write_text_atomic(out / GAMES, "".join(f"{line}\n" for line in records))
    _write_parquet(out / DECISIONS, rows)
    if wanted.lines:
        write_text_atomic(out / LINES, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    write_text_atomic(out / LICENCE, notice)
    facts = {"games": len(records), "decisions": len(rows)}
    write_text_atomic(out / CARD, _card(game, agents, wanted, command, notice, facts))
    write_sums(out, (path.name for path in out.iterdir() if path.name in FILES - {SUMS}))
    return facts


def _played(game: Game, agents: Sequence[str], wanted: Wanted) -> Iterator[tuple[Table, list[str], int, list[float]]]:
    """Yield each finished game: its table, the agents by seat, the deal and the payoffs."""
    makers = [recipe(spec, game.name).maker(game) for spec in agents]
    for first in range(0, wanted.deals, BLOCK):
        some = range(first, min(first + BLOCK, wanted.deals))
        deals = [
            in_rotation(game.seats, rotation, seed, seed)
            for seed in (deal_seed(wanted.seed, deal) for deal in some)
            for rotation in range(game.seats)
        ]
        outcomes = {one.number: one for one in play_deals(game, makers, deals)}
        for number, deal in enumerate(deals):
            outcome = outcomes[number]
            if outcome.forfeit is not None:
                raise BadInput(f"an agent failed: {outcome.forfeit[1]}")
            table = game.deal(deal.seed)
            table.play_all(outcome.actions)
            seated = [agents[place] for place in deal.seated]
            table.players = seated
            yield table, seated, first + number // game.seats, list(map(float, outcome.payoffs))


class Solver:
    """Strategy that gives mixtures, and for Truco the values of actions."""

    def __init__(self, game: Game, by: str) -> None:
        self._agent: Agent = agent(by, game)
        first = game.deal(0)
        seat = game.seat(first.turn or 0)
        self._agent.begin(game, seat)
        if mixture_of(self._agent, first.view(seat)) is None:
            raise BadInput(f"{by} does not state its mixture; name a strategy that does, such as cfr or balanced")
        self._judge = Judge(hand_of(game), by) if game.name == "truco" else None
        self._game = game

    def solved(self, table: Table) -> Iterator[tuple[list[float] | None, list[float] | None]]:
        """Yield the mixture and the values of each decision of a finished game, in order."""
        if self._judge is not None:
            for one in self._judge.decisions(table):
                yield list(one.mixture.values()), list(one.values.values())
            return
        for ply in range(table.ply):
            before = table.back(ply)
            seat = self._game.seat(before.turn or 0)
            self._agent.begin(self._game, seat)
            mixture = mixture_of(self._agent, before.view(seat))
            yield None if mixture is None else mixture.tolist(), None


def decisions(table: Table, solver: Solver | None = None, views: bool = True) -> Iterator[Row]:
    """Yield a row for each decision of a finished game."""
    solved = solver.solved(table) if solver is not None else iter(())
    again = table.back(0)
    for ply, action in enumerate(table.actions):
        seat = again.turn
        assert seat is not None
        view = again.view(seat)
        mixture, values = next(solved, (None, None))
        yield {
            "ply": ply, "seat": seat, "view": json.dumps(view.data(), ensure_ascii=False) if views else None,
            "text": str(view), "legal": [str(one) for one in view.legal], "action": str(action),
            "mixture": mixture, "values": values,
        }  # fmt: skip
        again.play(action)


def _write_parquet(path: Path, rows: Sequence[Row]) -> None:
    import duckdb

    names = ", ".join(f'"{name}" {kind}' for name, (kind, _) in COLUMNS.items())
    with atomic_path(path) as beside, duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE decisions ({names})")
        marks = ", ".join("?" * len(COLUMNS))
        for first in range(0, len(rows), 1000):
            some = [[row[name] for name in COLUMNS] for row in rows[first : first + 1000]]
            connection.executemany(f"INSERT INTO decisions VALUES ({marks})", some)
        place = str(beside).replace("'", "''")
        connection.execute(f"COPY decisions TO '{place}' (FORMAT parquet, COMPRESSION zstd)")


def _card(game: Game, agents: Sequence[str], wanted: Wanted, command: str, notice: str, facts: dict[str, int]) -> str:
    rules = ", ".join(f"{name}={value}" for name, value in game.options.items()) or "default"
    return "\n".join([
        f"# Decisions of agents in {game.name}", "",
        f"{facts['decisions']} decisions in {facts['games']} games of {', '.join(f'`{spec}`' for spec in agents)};",
        f"rules: {rules}. Every deal is played in every rotation of the agents.",
        f"Written by bolicho {__version__}: `{command}`. {notice.splitlines()[0]}", "",
        f"- `{DECISIONS}`: a row a decision, with the columns below",
        *([f"- `{LINES}`: the same as JSON lines"] if wanted.lines else []),
        f"- `{GAMES}`: the games as records, for `bolicho replay {GAMES}`",
        f"- `{LICENCE}`, `{SUMS}`", "",
        "| column | meaning |", "|---|---|",
        *(f"| {name} | {meaning} |" for name, (_, meaning) in COLUMNS.items()), "",
        f"The strategy is `{wanted.by}`." if wanted.by else "No strategy was asked for mixtures and values.",
        "For imitation: `text` or `view` is the input, `action` or `mixture` the target. For language models: a prompt",
        "of `text` and `legal`, the answer `action`. Split by `deal`, since its games share cards. A view holds what",
        "its seat knew; the records hold all cards.", "",
    ])  # fmt: skip
