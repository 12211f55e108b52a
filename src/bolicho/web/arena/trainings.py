"""Trainings of case bases below a folder, read from their files at every request.

A training has a folder of its name: the request (`training.json`), its progress (`progress.json`), and the files of
`bolicho train` (docs/training.md).
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bolicho.agents.agent import Values
from bolicho.agents.technique import load
from bolicho.agents.training import CURVE, beside, command, find, options_of, trainings
from bolicho.arena.run_lock import at_work
from bolicho.errors import BadInput
from bolicho.files import is_regular, read_bytes, write_text_atomic
from bolicho.i18n import Message
from bolicho.web.arena.job_process import PROGRESS, TRAINING, trained_file
from bolicho.web.arena.jobs import Jobs
from bolicho.web.arena.runs import changed, folder_of, folders, last_error, new_folder
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.game_list import values_as_json
from bolicho.web.refusal import Refusal
from bolicho.web.workers import check_value, no_option

AT_ONCE = 1  # concurrent trainings
KILL_AFTER = 600.0  # seconds for a stopped training to finish its step and save


def is_training(folder: Path) -> bool:
    """Return whether a folder holds a training."""
    return is_regular(folder / TRAINING)


def is_done(folder: Path) -> bool:
    """Return whether a training is finished: the curve is written after the base."""
    base = trained_file(folder)
    return is_regular(base) and is_regular(beside(base, CURVE))


@cache
def _offered() -> dict[str, tuple[str, dict[str, Values]]]:
    """Return the trainings that may be started over HTTP: the game of each, and the values of its options."""
    offered = [one for one in trainings() if one.training.offered]
    return {
        one.training.name if len(one.training.games) == 1 else one.artifact: (one.game, load(one.training.offered))
        for one in offered
    }


class Trainings:
    """The trainings below a folder; thread-safe."""

    def __init__(self, root: Path, clock: Clock = SYSTEM) -> None:
        self.root = root
        self.jobs = Jobs(root, self.folder, clock, AT_ONCE, KILL_AFTER)

    def folder(self, name: str) -> Path:
        """Return the folder of a training."""
        folder = folder_of(self.root, name)
        if not is_training(folder):
            raise Refusal(404, Message("server.arena.no-run", name=name[:80]))
        return folder

    def all(self) -> list[dict[str, Any]]:
        """Return the facts of all trainings, the newest first."""
        wanted = self.jobs.wanted()
        found = sorted(folders(self.root, is_training), key=lambda one: -changed(one[1]))
        return [self._facts(name, folder, wanted) for name, folder in found]

    def look(self, name: str) -> dict[str, Any]:
        """Return the state of a training."""
        return self._facts(name, self.folder(name), self.jobs.wanted())

    def _facts(self, name: str, folder: Path, wanted: Sequence[str]) -> dict[str, Any]:
        facts: dict[str, Any] = {"name": name, "changed": changed(folder), "told": None, "may": []}
        try:
            asked = json.loads(read_bytes(folder / TRAINING))
            training, seed, options = (asked[key] for key in ("training", "seed", "options"))
            game = find(training).game
            facts |= {"training": training, "game": game, "command": command(training, seed, options)}
        except (OSError, BadInput, ValueError, KeyError, TypeError):
            return facts | {"state": "unreadable", "told": f"{TRAINING} cannot be read"}
        if is_done(folder):
            return facts | {"state": "done", **_progress(folder), "base": str(trained_file(folder))}
        state = "running" if at_work(folder) else "queued" if name in wanted else "stopped"
        may = ["stop"] if name in wanted else ["go"] if state == "stopped" else []
        why = last_error(folder) if state == "stopped" else None
        return facts | {"state": state, "may": may, "told": why, **_progress(folder)}

    def bases(self, game: str) -> list[str]:
        """Return the finished bases of a game, as values of the agents' option `base`."""
        return [one["base"] for one in self.all() if one["state"] == "done" and one["game"] == game]

    # --- Starting and stopping ----------------------------------------------------------------------

    def offered(self) -> dict[str, dict[str, Any]]:
        """Return the trainings that may be started: the game of each, and its options with defaults and values."""
        return {
            name: {
                "game": game,
                "options": {
                    option: {"default": options_of(name)[option], **values_as_json(known)}
                    for option, known in self._values(name).items()
                },
            }
            for name, (game, _) in _offered().items()
        }

    def _values(self, training: str) -> dict[str, Values]:
        """Return the values of a training's options; its option `base` includes the bases trained here."""
        game, values = _offered()[training]
        if isinstance(known := values.get("base"), tuple):
            return {**values, "base": (*known, *self.bases(game))}
        return values

    def start(self, training: str, options: Mapping[str, Any], seed: int, name: str | None) -> str:
        """Queue a training, or continue it if it exists; return its name."""
        if training not in _offered():
            raise Refusal(422, Message("server.arena.no-training", training=training[:40]))
        values = self._values(training)
        for option, value in options.items():
            if option not in values:
                raise no_option(training, option, values)
            check_value(training, option, value, values[option])
        defaults = options_of(training)
        changes = {option: value for option, value in sorted(options.items()) if value != defaults[option]}
        asked = json.dumps({"training": training, "seed": seed, "options": changes}, sort_keys=True)
        name = name or f"{training}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"
        same = lambda folder: is_training(folder) and read_bytes(folder / TRAINING) == asked.encode()  # noqa: E731
        folder = new_folder(self.root, name, same)
        if not folder.exists():
            write_text_atomic(folder / TRAINING, asked)
        if not is_done(folder):
            self.jobs.want(name, 1)
        return name

    def go_on(self, name: str) -> None:
        """Continue a stopped training."""
        if "go" not in self.look(name)["may"]:
            raise Refusal(409, Message("server.arena.no-going-on.training", name=name))
        self.jobs.want(name, 1)


def _progress(folder: Path) -> dict[str, Any]:
    """Return the progress that a training's process has written; zero before its first step."""
    try:
        facts = json.loads(read_bytes(folder / PROGRESS))
        return {"done": int(facts["done"]), "total": int(facts["total"]), "unit": str(facts["unit"])}
    except (OSError, BadInput, ValueError, KeyError, TypeError):
        return {"done": 0, "total": None, "unit": None}
