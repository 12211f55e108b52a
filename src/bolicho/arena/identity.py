"""Identity of a run: checksums of the code and the files that its games depend on.

The name of an agent does not identify its version.  So a run stores the checksums of every module of its agents, its
game and the loop (see `bolicho.sources`) and of every file that an agent declares (`Agent.files`) or gets as an
option, the version of Bolicho and the format of its files; a process that resumes the run must have the same.
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
"""Names of modules and files, and their checksums; None if there is no file."""

LOOP = ("bolicho.agents.loop", "bolicho.arena.pairing")


VERSION, FORMAT = "version of bolicho", "format of runs"


Places = dict[str, Path | None]
"""Names of modules or files, and their paths; None if there is no file."""


def identity(experiment: Experiment) -> Identity:
    """Return the identity of an experiment with the current code and files of this process."""
    game = experiment.make_game()
    return sums(experiment, [of_agent(spec, game) for spec in experiment.agents])[0]


def sums(experiment: Experiment, agents: Sequence[tuple[Places, Places]]) -> tuple[Identity, Places]:
    """Return the identity of an experiment whose agents consist of these modules and files, and all module paths."""
    modules = _sources({home(experiment.game), *LOOP})
    files: Places = {}
    for theirs, read in agents:
        modules |= theirs
        files |= read
    whole = (modules | files).items()
    found = {name: file_sum(path) if path is not None and path.is_file() else None for name, path in whole}
    return {VERSION: bolicho.__version__, FORMAT: str(RUN), **found}, modules


def of_agent(spec: str, game: Game) -> tuple[Places, Places]:
    """Make an agent, and return the modules and the files that it consists of."""
    made = agent(spec, game.name)  # loads its modules
    options = _options(spec, game.name)
    entry = find(parse_spec(spec)[0], game.name)
    own = {entry.home.partition(":")[0], type(made).__module__, *filter(None, [entry.declared])}
    files: Places = {f"{path.name} of {spec}": path for path in (*made.files(game), *_files_in(options))}
    return _sources(own if entry.elsewhere else own | _modules_in(options)), files


def _sources(modules: set[str]) -> Places:
    """Return these modules and all that they depend on, with their files."""
    places: Places = {}
    for module in sorted(modules):
        files = files_of(module)
        places |= files if files else {module: None}
    return places


def authors(modules: Places) -> dict[str, Path]:
    """Return the modules outside this package that have a source: those of other authors."""
    package = bolicho.__name__
    return {name: path for name, path in modules.items() if path is not None and name.partition(".")[0] != package}


def edited(found: Identity, modules: Places) -> list[str]:
    """Return the modules whose source has changed since that identity was computed."""
    read = {name: path for name, path in modules.items() if path is not None and found[name] is not None}
    return [name for name, path in read.items() if not path.is_file() or found[name] != file_sum(path)]


def _options(spec: str, game: str) -> dict[str, Any]:
    """Return the options of an agent, given or default."""
    name, given = parse_spec(spec)
    entry = find(name, game)
    return {**entry.options, **dict(entry.preset), **given}


def _modules_in(options: dict[str, Any]) -> set[str]:
    """Return the modules that options name as module:attribute."""
    texts = [value for value in options.values() if isinstance(value, str)]
    return {text.partition(":")[0] for text in texts if re.fullmatch(r"[\w.]+:\w+", text)}


def _files_in(options: dict[str, Any]) -> list[Path]:
    """Return the files that options name."""
    texts = [value for value in options.values() if isinstance(value, str) and value]
    return [Path(text) for text in texts if Path(text).is_file()]


def changes(before: Identity, now: Identity) -> list[str]:
    """Return the names of changed entries; one without a source may have changed, so it counts."""
    names = sorted({*before, *now})
    return [
        f"{name} (it has no source to compare)" if before.get(name) is now.get(name) is None else name
        for name in names
        if before.get(name) != now.get(name) or before.get(name) is None
    ]


def digest(found: Identity) -> str:
    """Return a short hash of an identity."""
    return hashlib.sha256(write(found).encode()).hexdigest()[:16]


def owner(experiment: Experiment, found: Identity) -> str:
    """Return the owner of a run's parts: equal only for runs that differ in nothing but the number of deals."""
    return f"{experiment.stem} {digest(found)}"


def write(found: Identity) -> str:
    """Return an identity as JSON."""
    return json.dumps(found, indent=1, sort_keys=True) + "\n"
