"""Read-only progress of an unfinished run."""

from pathlib import Path
from typing import Any

from bolicho.arena import identity as identities
from bolicho.arena.rows import (
    EXPERIMENT,
    IDENTITY,
    PART,
    PARTS,
    begun_in,
    count_games,
    no_games,
    put_games,
    read_identity,
)
from bolicho.arena.summary import partial_table
from bolicho.errors import BadInput
from bolicho.store.file_checksums import is_sealed

MOST_WATCHED = 1_000_000  # games: about 100 MB; a larger run shows only the number of games before its end


class RunProgress:
    """Games and standings from the parts of an unfinished run.  A part never changes, so each is read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        begun, identity = begun_in(folder), read_identity(folder)
        if begun is None or identity is None:
            missing = folder / (EXPERIMENT if begun is None else IDENTITY)
            raise BadInput(f"{str(missing)!r} is missing; delete the folder and play again")
        self.experiment = begun
        self._owner = identities.owner(begun, identity)
        self._is_small = self.experiment.num_games <= MOST_WATCHED
        self._games = no_games(self.experiment) if self._is_small else None
        self.parts: dict[str, Path] = {}
        self.played = 0
        self._table: dict[str, Any] | None = None

    def read_new_parts(self) -> int:
        """Read new parts; return the number of games played."""
        paths = [path for path in sorted((self.folder / PARTS).glob(f"*{PART}")) if path.name not in self.parts]
        fresh = {path.name: path for path in paths if path.is_file() and is_sealed(path, self._owner)}
        if fresh:
            files = list(fresh.values())
            self.played += count_games(files) if self._games is None else put_games(self._games, files)
            self.parts |= fresh
            self._table = None
        return self.played

    def table(self) -> dict[str, Any] | None:
        """Return standings and pairs so far, by the code of the final result; None above `MOST_WATCHED` games."""
        if self._table is None and self._games is not None:
            self._table = partial_table(self.experiment, self._games)
        return self._table
