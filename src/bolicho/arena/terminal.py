"""One game at the terminal, with or without human players: output line by line, saving and resuming.

A resumed game equals the uninterrupted one: its agents repeat all earlier decisions, which restores their luck
and memory, while the record gives the actions.
"""

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable

from bolicho.agents.agent import Agent, Choice, Explanation
from bolicho.agents.basic.game_log import GameLogPrinter, seat_names, shown
from bolicho.agents.basic.human import Human, PlayerQuit, say
from bolicho.agents.play import PlayedGame, play
from bolicho.agents.registry import Entry, agent
from bolicho.errors import BadInput
from bolicho.files import check_place, write_text_atomic
from bolicho.games import game as make_game
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Action
from bolicho.games.record import read_records, replay, start, write_record
from bolicho.i18n import Catalogue, Message, Seat, Several, plain
from bolicho.i18n import catalogue as english
from bolicho.progress import Bar, progress

KEPT = Path("runs") / "games"
"""Folder of games that a human player left, unless a file is named."""


@dataclass
class Sitting:
    """A game to be played: the table, its agents, and the file of the record."""

    table: Table
    agents: list[Agent]
    seed: int  # seed of the agents' luck, and of the deal unless the game is resumed
    file: Path | None  # file of the record
    source: Path | None = None  # record of a resumed game
    before: int = 0  # number of its actions

    @property
    def names(self) -> list[str]:
        """Names of the seats."""
        assert self.table.players is not None
        return seat_names(self.table.players)

    @property
    def people(self) -> list[Human]:
        """Human players at this terminal."""
        agents = (agent.agent if isinstance(agent, Again) else agent for agent in self.agents)
        return [agent for agent in agents if isinstance(agent, Human)]


@dataclass(frozen=True)
class Reason:
    """Explanation of one action of an agent."""

    ply: int
    seat: int
    action: str
    explanation: Explanation

    def as_json(self) -> dict[str, Any]:
        """Return the reason as JSON."""
        why = self.explanation
        sentence = english("en").say(why.sentence)
        return {"ply": self.ply, "seat": self.seat, "action": self.action, "why": sentence, "facts": why.facts}


# --- Making and resuming games --------------------------------------------------------------------


def sit(
    name: str, players: list[str], rules: Mapping[str, Any], seed: int | None = None, file: Path | None = None
) -> Sitting:
    """Return a new game with one agent per seat and its record in `file`; without a seed the deal is random."""
    seed = secrets.randbits(64) if seed is None else seed
    game = make_game(name, **rules)
    if len(players) != game.seats:
        raise BadInput(f"{name} has {game.seats} seats, and {len(players)} agents were named")
    table = game.deal(seed)
    table.players = list(players)
    return Sitting(table, [agent(spec, game) for spec in players], seed, _place(file))


def resume(source: Path, file: Path | None = None) -> Sitting:
    """Return the game of a record at its last position; it is saved to the same file, or to another."""
    records = list(read_records(source))
    if len(records) != 1:
        raise BadInput(f"{source} holds {len(records)} records; a game is resumed from a file of its own")
    record = records[0]
    try:
        table, stopped = start(record), replay(record)
    except BadInput as problem:
        raise BadInput(f"{source}: {problem}") from None
    if stopped.over:
        raise BadInput(f"the game of {source} is over; replay it: bolicho replay {source}")
    if table.players is None:
        raise BadInput(f'{source} names no players; add "players" with an agent for each seat')
    done = _by_seat(table.copy(), stopped.actions)
    seated = [agent(spec, table.game) for spec in table.players]
    agents = [(AgainOracle if type(a).oracle else Again)(a, done[seat]) for seat, a in enumerate(seated)]
    return Sitting(table, list(agents), int(table.state["seed"]), _place(file or source), source, stopped.ply)


def _by_seat(table: Table, actions: Iterable[Action]) -> list[list[Action]]:
    """Return the actions of each seat, in order."""
    chosen: list[list[Action]] = [[] for _ in range(table.game.seats)]
    for action in actions:
        assert table.turn is not None
        chosen[table.turn].append(action)
        table.play(action)
    return chosen


def _place(file: Path | None) -> Path | None:
    """Check before the game that a record can be written to a file, and return the file."""
    if file is not None:
        try:
            check_place(file)
            beside = file.with_name(f".{file.name}.try")
            file.parent.mkdir(parents=True, exist_ok=True)
            beside.touch()
            beside.unlink()
        except OSError as problem:
            raise BadInput(
                f"cannot write the record to {file}: {problem}; name a file, as in --record game.json"
            ) from None
    return file


class Again(Agent):
    """An agent that repeats its recorded actions, deciding each again for its memory, and then plays on."""

    def __init__(self, agent: Agent, done: Iterable[Action]) -> None:
        self.agent = agent
        self.done = deque(done)

    def begin(self, game: Game, seat: int) -> None:
        self.agent.begin(game, seat)

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        if not self.done:
            return self.agent.act(view, rng)
        if isinstance(self.agent, Human):
            self.agent.mark_shown(view)
        else:
            self.agent.act(view, rng)
        return self.done.popleft()

    def end(self, view: View) -> None:
        self.agent.end(view)

    def explain(self) -> Explanation | None:
        return self.agent.explain()


class AgainOracle(Again):
    """`Again` for an agent that gets the full state."""

    oracle = True


# --- Playing --------------------------------------------------------------------------------------


def play_sitting(
    sitting: Sitting, explain: bool, tell: Callable[[str], None], words: Catalogue
) -> tuple[PlayedGame | None, list[Reason]]:
    """Play a game to its end; return None if a human player left with `quit`, and save the game.

    Without human players, pass each line to `tell` during the game, with reasons next to their actions.  Human players
    see on the screen what their seats may know, and reasons after the hand.  Ctrl-C also saves a game of human players,
    and is raised again.
    """
    table, people = sitting.table, sitting.people
    for person in people:
        person.teller = GameLogPrinter(sitting.names, say, words)
    if people:
        seats = [plain(name) for name in sitting.names]
        players = reduce(lambda one, other: Message("terminal.against", one=one, other=other), seats)
        say(words.say(Message("terminal.begins", players=players)))
    watching = _Watching(
        sitting, explain, [] if people else [GameLogPrinter(sitting.names, tell, words, open=True)], words
    )
    try:
        with watching.catching_up():
            played = play(table.game, sitting.agents, sitting.seed, table=table, watch=watching)
    except KeyboardInterrupt as stop:
        if people:
            file = keep(sitting)
            say(words.say(Message("terminal.kept", file=str(file))))
        if isinstance(stop, PlayerQuit):
            return None, watching.reasons
        raise
    if sitting.file is not None:
        write_text_atomic(sitting.file, write_record(table.record()) + "\n")
    return played, watching.reasons


def keep(sitting: Sitting) -> Path:
    """Save an unfinished game; return its file."""
    if sitting.source is not None and sitting.table.ply < sitting.before:
        return sitting.source  # the record has more actions than the table
    file = sitting.file or KEPT / f"{sitting.table.game.name}-{sitting.seed}.json"
    write_text_atomic(file, write_record(sitting.table.record()) + "\n")
    return file


class _Watching:
    """Observer of every action: collects reasons and writes lines to the tellers."""

    def __init__(self, sitting: Sitting, explain: bool, watchers: list[GameLogPrinter], words: Catalogue) -> None:
        self.words = words
        self.sitting = sitting
        self.explain = explain
        self.watchers = watchers
        self.reasons: list[Reason] = []
        self.rows = len(sitting.table.open_view(0).rows)
        self.bar: Bar | None = None
        for teller in watchers:
            teller.print_events(sitting.table.open_view(0))

    def __call__(self, seat: int, action: Action) -> None:
        table = self.sitting.table
        why = self.sitting.agents[seat].explain() if self.explain else None
        if why is not None:
            self.reasons.append(Reason(table.ply - 1, seat, str(action), why))
            called = shown(table, action, self.words)
            for teller in self.watchers + [person.teller for person in self.sitting.people if person.teller]:
                teller.because(self.rows, seat, called, why.sentence)
        view = table.open_view(seat)
        self.rows = len(view.rows)
        for teller in self.watchers:
            teller.print_events(view, str(action))
        if self.bar is not None:
            self.bar.update(table.ply)
            if table.ply == self.sitting.before:  # the human player uses the screen from here on
                self.bar.stop()

    @contextmanager
    def catching_up(self) -> Iterator[None]:
        """Show the progress of a resumed game until it reaches its last position."""
        what, before = self.words.say(Message("terminal.thinking")), self.sitting.before
        with progress(what, before, show=bool(before and self.sitting.people)) as self.bar:
            yield


# --- Output ---------------------------------------------------------------------------------------


def result(sitting: Sitting, played: PlayedGame | None, reasons: list[Reason]) -> dict[str, Any]:
    """Return a game that was played, or saved, as JSON."""
    if played is None:
        return {"players": sitting.table.players, "kept": str(keep(sitting))}
    facts = {"players": sitting.table.players, "seed": sitting.seed, "forfeit": played.forfeit}
    why = {"reasons": [reason.as_json() for reason in reasons]} if reasons else {}
    return {**facts, **sitting.table.result(), **why}


def ending(sitting: Sitting, played: PlayedGame, words: Catalogue) -> list[str]:
    """Return lines on the end of a game."""
    lines = [Message("terminal.ending", points=_points(played.scores), seed=sitting.seed)]
    if played.forfeit:
        lines.insert(0, Message("terminal.forfeit", who=Seat(played.forfeit[0]), why=played.forfeit[1]))
    return [words.say(line, sitting.names) for line in lines]


def standing(table: Table, words: Catalogue) -> list[str]:
    """Return lines on the last position of a record."""
    names, points = names_of(table, words), _points(table.scores)
    if table.turn is None:
        return [words.say(Message("terminal.over", points=points), names)]
    legal = Several([shown(table, action, words) for action in sorted(table.legal)], ",")
    lines = [Message("terminal.legal", actions=legal), Message("terminal.to act", points=points, who=Seat(table.turn))]
    return ["", *table.view().text(words).splitlines(), *(words.say(line, names) for line in lines)]


def advised(
    table: Table, player: str, action: Action, why: Explanation | None, words: Catalogue, chosen: Action | None = None
) -> list[str]:
    """Return lines on an agent's action and its reason in the last position; also a different `chosen` action."""
    assert table.turn is not None
    names = names_of(table, words)
    choice = shown(table, action, words)
    seat = Message("terminal.seat", number=table.turn)
    lines = [*table.view().text(words).splitlines(), ""]
    lines.append(words.say(Message("terminal.advised", seat=seat, agent=player, action=choice)))
    if chosen is not None and chosen != action:
        lines.append(words.say(Message("terminal.chosen", action=shown(table, chosen, words))))
    if why is None:
        return lines
    lines += [words.say(said, names) for said in (why.sentence, *why.lines)]
    values, mixture = why.facts.get("values"), why.facts.get("mixture")
    if isinstance(values, dict):
        shares = {action: f"  {share:>4.0%}" for action, share in mixture.items()} if isinstance(mixture, dict) else {}
        best_first = sorted(values.items(), key=lambda pair: -pair[1])
        lines += [
            f"  {value:>10.4g}{shares.get(action, '')}  {shown(table, action, words)}" for action, value in best_first
        ]
    return lines


def _points(scores: list[int]) -> Several:
    return Several([Message("terminal.score", who=Seat(seat), score=score) for seat, score in enumerate(scores)], ",")


def records_of(file: Path, row: int | None) -> Iterator[dict[str, Any]]:
    """Return the records of a file, or the game of one row of a tournament's folder."""
    if row is not None:
        from bolicho.arena.run import row_record

        return iter([row_record(file, row)])
    if file.is_dir():
        raise BadInput(f"{file} is a folder; name the game of the tournament to replay: --row N, from 0")
    return read_records(file)


def tell_record(table: Table, tell: Callable[[str], None], words: Catalogue) -> None:
    """Pass the game of a table to `print_events` from its beginning, line by line."""
    again = start(table.record())
    teller = GameLogPrinter(names_of(table, words), tell, words, open=True)
    teller.print_events(again.open_view(0))
    for action in table.actions:
        again.play(action)
        teller.print_events(again.open_view(0), str(action))


def names_of(table: Table, words: Catalogue) -> list[str]:
    """Return the names of the seats of a table."""
    seats = [words.say(Message("terminal.seat", number=seat)) for seat in range(table.game.seats)]
    return seat_names(table.players or seats)


# --- List of agents -------------------------------------------------------------------------------

ROOMY = 100  # least columns of a terminal for a table of agents


def agents_listed(found: Iterable[Entry], width: int) -> RenderableType:
    """Return the agents, their games, descriptions and options: as a table, or as lines on a narrow terminal."""
    rows = [
        (
            f"[bold]{entry.name}[/]" + (" [dim](oracle)[/]" if entry.oracle else ""),
            ", ".join(entry.games) if entry.games else "all",
            escape(entry.about),
            escape(", ".join(f"{name}={value}" for name, value in entry.options.items())),
        )
        for entry in found
    ]
    if width < ROOMY:
        return Group(*(part for row in rows for part in _agent_lines(*row)))
    table = RichTable(box=None, pad_edge=False)
    for heading in ("agent", "games", "what it does", "options"):
        table.add_column(heading, no_wrap=heading == "agent")
    for row in rows:
        table.add_row(*row)
    return table


def _agent_lines(name: str, games: str, about: str, options: str) -> list[RenderableType]:
    """Return the lines of one agent: its name, and the rest below."""
    return [f"{name}  [dim]{games}[/]", *(Padding(text, (0, 0, 0, 4)) for text in (about, options) if text)]
