"""What a run rests on beside its experiment: the code that is played, and the files it plays from.

The name of an agent does not say which version of it played.  So a run writes down the checksum of
every module that its agents, its game and the loop consist of (see `bolicho.sources`), of every file
an agent says it plays from (`Agent.files`) or is given as an option, and our version; who goes on
with the run later must have the same.
"""

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import bolicho
from bolicho.agents.agent import agent, find, parse_spec
from bolicho.arena.experiment import Experiment
from bolicho.games import home
from bolicho.sources import files_of
from bolicho.store.sums import file_sum

Identity = dict[str, str | None]
"""Names of modules and files, and their checksums; None where there is nothing to read."""

LOOP = ("bolicho.agents.loop", "bolicho.arena.pairing")


VERSION = "version of bolicho"


def identity(experiment: Experiment) -> Identity:
    """The identity of an experiment as it would be played now, by this process."""
    game = experiment.make_game()
    modules = {home(experiment.game), *LOOP}
    found: Identity = {VERSION: bolicho.__version__}
    for spec in experiment.agents:
        made = agent(spec, experiment.game)  # its modules are loaded now
        modules |= {find(parse_spec(spec)[0], experiment.game).home.partition(":")[0], type(made).__module__}
        options = _options(spec, experiment.game)
        modules |= _modules_in(options)
        for path in (*made.files(game), *_files_in(options)):
            found[f"{path.name} of {spec}"] = file_sum(path) if path.is_file() else None
    for module in sorted(modules):
        files = files_of(module)
        found |= {name: file_sum(path) for name, path in files.items()}
        if not files:
            found[module] = None
    return found


def edited(found: Identity) -> list[str]:
    """The modules loaded here whose source is no longer what it was for that identity."""
    files = {name: getattr(sys.modules.get(name), "__file__", None) for name in found}
    return [name for name, file in files.items() if file and found[name] not in (None, file_sum(Path(file)))]


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


def write(found: Identity) -> str:
    """An identity as JSON."""
    return json.dumps(found, indent=1, sort_keys=True) + "\n"
