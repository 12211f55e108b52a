"""What a run rests on beside its experiment: the code that is played, and the files it plays from.

The name of an agent does not say which version of it played.  So a run writes down the checksum of
every module that its agents, its game and the loop consist of (see `bolicho.sources`), of every file
an agent says it plays from (`Agent.files`) or is given as an option, our version and the format of
its files; who goes on with the run later must have the same.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bolicho
from bolicho.agents.registry import agent, find
from bolicho.agents.spec import parse_spec
from bolicho.arena.experiment import Experiment
from bolicho.formats import RUN
from bolicho.games import home
from bolicho.games.game import Game
from bolicho.sources import files_of
from bolicho.store.file_checksums import file_sum

Identity = dict[str, str | None]
"""Names of modules and files, and their checksums; None where there is nothing to read."""

LOOP = ("bolicho.agents.loop", "bolicho.arena.pairing")


VERSION, FORMAT = "version of bolicho", "format of runs"


Places = dict[str, Path | None]
"""Names of modules or files, and where they stand; None where there is nothing to read."""


def identity(experiment: Experiment) -> Identity:
    """The identity of an experiment as it would be played now, by this process."""
    game = experiment.make_game()
    return sums(experiment, [of_agent(spec, game) for spec in experiment.agents])[0]


def sums(experiment: Experiment, agents: Sequence[tuple[Places, Places]]) -> tuple[Identity, Places]:
    """The identity of an experiment whose agents consist of these modules and files, and where its modules stand."""
    modules = _sources({home(experiment.game), *LOOP})
    files: Places = {}
    for theirs, read in agents:
        modules |= theirs
        files |= read
    whole = (modules | files).items()
    found = {name: file_sum(path) if path is not None and path.is_file() else None for name, path in whole}
    return {VERSION: bolicho.__version__, FORMAT: str(RUN), **found}, modules


def of_agent(spec: str, game: Game) -> tuple[Places, Places]:
    """The modules and the files that an agent consists of; it is made here to see them."""
    made = agent(spec, game.name)  # its modules are loaded now
    options = _options(spec, game.name)
    entry = find(parse_spec(spec)[0], game.name)
    own = {entry.home.partition(":")[0], type(made).__module__, *filter(None, [entry.declared])}
    files: Places = {f"{path.name} of {spec}": path for path in (*made.files(game), *_files_in(options))}
    return _sources(own | _modules_in(options)), files


def _sources(modules: set[str]) -> Places:
    """The modules that these rest on, and their files."""
    places: Places = {}
    for module in sorted(modules):
        files = files_of(module)
        places |= files if files else {module: None}
    return places


def authors(modules: Places) -> dict[str, Path]:
    """Return the modules that are neither this package's nor without source: those of the agents' authors."""
    house = bolicho.__name__
    return {name: path for name, path in modules.items() if path is not None and name.partition(".")[0] != house}


def edited(found: Identity, modules: Places) -> list[str]:
    """The modules whose source is no longer what it was for that identity."""
    read = {name: path for name, path in modules.items() if path is not None and found[name] is not None}
    return [name for name, path in read.items() if not path.is_file() or found[name] != file_sum(path)]


def _options(spec: str, game: str) -> dict[str, Any]:
    """The options of an agent, given or not."""
    name, given = parse_spec(spec)
    entry = find(name, game)
    return {**entry.options, **dict(entry.preset), **given}


def _modules_in(options: dict[str, Any]) -> set[str]:
    """The modules that options name as module:attribute."""
    texts = [value for value in options.values() if isinstance(value, str)]
    return {text.partition(":")[0] for text in texts if re.fullmatch(r"[\w.]+:\w+", text)}


def _files_in(options: dict[str, Any]) -> list[Path]:
    """The files that options name."""
    texts = [value for value in options.values() if isinstance(value, str) and value]
    return [Path(text) for text in texts if Path(text).is_file()]


def changes(before: Identity, now: Identity) -> list[str]:
    """What is no longer the same, in words; what has no source to read may have changed, so it counts."""
    names = sorted({*before, *now})
    return [
        f"{name} (nobody can tell: it has no source)" if before.get(name) is now.get(name) is None else name
        for name in names
        if before.get(name) != now.get(name) or before.get(name) is None
    ]


def digest(found: Identity) -> str:
    """A short name for an identity."""
    return hashlib.sha256(write(found).encode()).hexdigest()[:16]


def owner(experiment: Experiment, found: Identity) -> str:
    """Whose the parts of a run are: nobody else's games are taken for them, but those of fewer deals or more."""
    return f"{experiment.stem} {digest(found)}"


def write(found: Identity) -> str:
    """An identity as JSON."""
    return json.dumps(found, indent=1, sort_keys=True) + "\n"
