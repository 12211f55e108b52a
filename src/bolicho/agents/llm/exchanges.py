"""Exchanges with models, kept beside the run by the hash of what was asked.

A kept exchange is not asked again, so a run that is stopped, replayed or audited gives the same bytes without a model.
`exchanges/aa/HASH.json` holds one request and its answer; `exchanges/spent.jsonl` has a line for each request that was
sent, by which processes that share the folder count what a run has spent.
"""

import hashlib
import json
import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bolicho.errors import BadInput
from bolicho.files import read_bytes, write_text_atomic
from bolicho.strict import read_json

FOLDER = "exchanges"
"""Folder in that of a run."""

ELSEWHERE = "BOLICHO_LLM_EXCHANGES"
"""Environment variable: a folder of exchanges to read from, and to write to outside a run."""

SPENT = "spent.jsonl"
FORMAT = 1
MOST_BYTES = 16 * 2**20
"""Size of the largest file of an exchange that is read."""


@dataclass(frozen=True)
class Exchange:
    """A request to a model and its answer, with no address and no key."""

    request: Mapping[str, Any]  # the body that was sent
    luck: str  # of the decision, so that equal positions of different games may get different answers
    repair: bool  # True for the second attempt of a decision
    content: str = ""  # the answer
    failed: str = ""  # reason why there is no answer
    wrong: str = ""  # reason why no legal action was read in the answer
    tokens: tuple[int, int] = (0, 0)  # in the request and in the answer, as the endpoint counts them
    cost: float = 0.0  # by the prices among the options
    seconds: float = 0.0  # of the answer, without waiting
    tries: int = 0  # requests sent

    @property
    def key(self) -> str:
        """Hash of what was asked."""
        return key_of(self.request, self.luck)

    def text(self) -> str:
        """Return the file of the exchange."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def key_of(request: Mapping[str, Any], luck: str) -> str:
    """Return the hash of a request of a decision."""
    asked = json.dumps([request, luck], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(asked.encode()).hexdigest()


def read_exchange(path: Path) -> Exchange:
    """Read an exchange; its name must be the hash of what was asked."""
    try:
        facts = read_json(read_bytes(path, MOST_BYTES))
        if not isinstance(facts, dict) or facts.pop("format", None) != FORMAT:
            raise BadInput(f"it is not of format {FORMAT}")
        found = Exchange(**{**facts, "tokens": tuple(facts["tokens"])})
    except (BadInput, TypeError, KeyError, ValueError) as problem:
        raise BadInput(f"cannot read the exchange {str(path)!r}: {problem}; delete it to ask again") from None
    if found.key != path.stem:
        raise BadInput(f"the exchange {str(path)!r} is not of the request in its name; delete it to ask again")
    return found


def read_exchanges(folder: Path) -> Iterator[Exchange]:
    """Yield the exchanges of a run's folder in the order of their names."""
    for path in sorted((folder / FOLDER).glob("??/*.json")):
        yield read_exchange(path)


@dataclass
class Exchanges:
    """Exchanges in folders, or in memory where there is none; safe for threads and processes."""

    folder: Path | None = None
    _known: dict[str, Exchange] = field(default_factory=dict)
    _spent: float = 0.0
    _read: int = 0  # bytes of the file of spent money
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def beside(cls, run: Path | None) -> "Exchanges":
        """Return the exchanges of a run's folder; outside a run those of the environment, or in memory."""
        other = os.environ.get(ELSEWHERE)
        return cls(run / FOLDER if run is not None else Path(other) if other else None)

    def find(self, key: str) -> Exchange | None:
        """Return a kept exchange."""
        other = os.environ.get(ELSEWHERE)
        for folder in (self.folder, Path(other) if other else None):
            if folder is not None and (path := _place(folder, key)).is_file():
                found = read_exchange(path)
                if folder != self.folder:
                    self._write(found)
                return found
        return self._known.get(key)

    def keep(self, exchange: Exchange) -> None:
        """Keep an exchange that was sent."""
        self._write(exchange)
        with self._lock:
            if self.folder is None:
                self._spent += exchange.cost
                return
            line = json.dumps([exchange.key, *exchange.tokens, exchange.cost]) + "\n"
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.folder / SPENT, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(descriptor, line.encode())  # one write of a short line: processes do not mix their lines
            finally:
                os.close(descriptor)

    def spent(self) -> float:
        """Return the money spent by all processes that share the folder."""
        with self._lock:
            path = None if self.folder is None else self.folder / SPENT
            if path is not None and path.is_file():
                with path.open("rb") as file:
                    file.seek(self._read)
                    lines = file.read()
                whole = lines[: lines.rfind(b"\n") + 1]
                self._read += len(whole)
                self._spent += sum(float(read_json(line)[3]) for line in whole.splitlines())
            return self._spent

    def _write(self, exchange: Exchange) -> None:
        if self.folder is None:
            self._known[exchange.key] = exchange
        else:
            write_text_atomic(_place(self.folder, exchange.key), exchange.text())


def _place(folder: Path, key: str) -> Path:
    return folder / key[:2] / f"{key}.json"


@dataclass(frozen=True)
class Tally:
    """Counts over the exchanges of a model."""

    decisions: int = 0
    illegal: int = 0  # decisions whose first answer could not be read or was not legal
    repaired: int = 0  # of those: the second answer was legal
    failed: int = 0  # decisions without a legal answer: forfeits, or actions by the fallback
    late: int = 0  # of those: no answer at all
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0


def tallies(folder: Path) -> dict[str, Tally]:
    """Return the counts of a run by the name of the model."""
    sums: dict[str, Counter[str]] = {}
    costs: dict[str, list[float]] = {}
    for one in read_exchanges(folder):
        model = str(one.request.get("model"))
        counts = sums.setdefault(model, Counter())
        counts["decisions"] += not one.repair
        counts["illegal"] += bool(not one.repair and one.wrong)
        counts["repaired"] += bool(one.repair and not one.failed and not one.wrong)
        counts["failed"] += bool(one.failed or (one.repair and one.wrong))
        counts["late"] += bool(one.failed)
        counts["requests"] += one.tries
        counts["tokens_in"] += one.tokens[0]
        counts["tokens_out"] += one.tokens[1]
        costs.setdefault(model, [0.0, 0.0])
        costs[model][0] += one.cost
        costs[model][1] += one.seconds
    return {
        model: replace(Tally(**counts), cost=costs[model][0], seconds=costs[model][1]) for model, counts in sums.items()
    }
