"""Compilation of games and agents ahead of time, by playing them."""

from collections.abc import Mapping, Sequence

from bolicho.agents.registry import built_in_entries, traits
from bolicho.agents.spec import parse_spec
from bolicho.arena import terminal
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import Task
from bolicho.arena.replay import check_rows
from bolicho.arena.run import play_task
from bolicho.errors import BadInput
from bolicho.games import game as make_game
from bolicho.games import kind
from bolicho.i18n import catalogue
from bolicho.progress import progress

SEED = 1
NOBODY = "random"  # agent in the other seats: fast, and compiles no code of its own
PERSON = "human"


def built_in_agents(game: str) -> list[str]:
    """Return one built-in agent for each technique that plays a game; agents of one class compile the same code."""
    entries = built_in_entries()
    techniques = {entry.home: entry.name for entry in reversed(entries) if entry.plays(game) and entry.name != PERSON}
    return sorted(techniques.values(), key=[entry.name for entry in entries].index)


def warm(wanted: Mapping[str, Sequence[str]], *, explained: bool = True) -> None:
    """Play a deal of each game with each of its agents as a tournament does, which compiles their code.

    With `explained`, also play it as in the terminal, with reasons.  Show a progress bar on stderr.
    """
    for name in wanted:
        kind(name)  # raises `BadInput` for an unknown game before any compilation
    steps = [(name, spec) for name, specs in wanted.items() for spec in specs]
    with progress("compiling", len(steps)) as bar:
        for name, spec in steps:
            bar.update(what=f"compiling {name}: {parse_spec(spec)[0]}")
            _play_tournament(name, spec)
            if explained:
                _play_game(name, spec)
            bar.advance()


def _play_tournament(name: str, spec: str) -> None:
    """Play a deal in every rotation, and replay it as a tournament does."""
    experiment = Experiment(name, tuple(dict.fromkeys([spec, NOBODY])), duplicates=1, seed=SEED)
    game = make_game(name)
    task, rows = play_task(experiment, Task(0, first=0, deals=1), [traits(each, game) for each in experiment.agents])
    check_rows(game, experiment, task, rows)
    for reason in {row["reason"] for row in rows if row["reason"]}:
        raise BadInput(f"{spec} cannot play {name}: {reason}")


def _play_game(name: str, spec: str) -> None:
    others = [NOBODY] * (make_game(name).seats - 1)
    sitting = terminal.sit(name, [spec, *others], {}, SEED)
    terminal.play_sitting(sitting, True, lambda line: None, catalogue("en"))
