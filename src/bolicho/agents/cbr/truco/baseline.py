"""The synthetic baseline: hands observed between the scripted styles.

The 3,195 human hands of the research group are not public (Paulus 2020, Paulus et al.).  This base has as
many, from matches between scripted players of varied temper, and says in its own metadata that it is
synthetic.  Whoever has hands of people makes a base of them instead (`source`).
"""

import itertools
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.cbr.bases import written
from bolicho.agents.cbr.casebase import CaseBase, Cases, read_cases
from bolicho.agents.cbr.clusters import cluster_all, label
from bolicho.agents.cbr.observe import watch, watch_table
from bolicho.agents.cbr.truco.scenarios import TRUCO
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.rules.truco import STYLES, Scripted
from bolicho.agents.training import whole_numbers
from bolicho.errors import BadInput, unknown
from bolicho.games import game
from bolicho.games.record import read_records, replay
from bolicho.store.artifact import Arrays

HANDS = 3195  # Paulus 2020, section 3.1
SEED = 1
RECORDS = (".json", ".jsonl")
HUMAN = "human"  # how records name a person's seat


class Observation:
    """Hands of matches between all pairs of styles (all there are, or those named), one seat of each drawn at random.

    Of a `source`, a file of recorded matches (.json, .jsonl) or of cases that may lack their groups (.csv, .parquet),
    the hands are those it holds; of a match those of the seats named `human`, or of both where nobody is.
    """

    unit = "hands"

    def __init__(
        self, hands: int = HANDS, seed: int = SEED, styles: Sequence[str] = (), source: Path | None = None
    ) -> None:
        whole_numbers(hands=hands)
        for style in styles:
            if style not in STYLES:
                raise unknown("scripted style", style, STYLES)
        if source and styles:
            raise BadInput("a source brings its own hands: give source or styles, not both")
        self.cases = _read(source) if source else np.zeros(0, TRUCO.schema.dtype)
        self.total, self.done = len(self.cases) or hands, len(self.cases)
        name, kind = (source.stem, "recorded") if source else ("baseline", "synthetic")
        self.facts: dict[str, Any] = {"name": name, "kind": kind, "game": TRUCO.game, "hands": self.total, "seed": seed}
        if styles:
            self.facts["styles"] = list(styles)
        self._players = [partial(Scripted, style) for style in styles or STYLES]
        self._rng = np.random.default_rng(seed)

    def step(self) -> None:
        truco = game(TRUCO.game)
        pairs = list(itertools.product(range(len(self._players)), repeat=2))
        drawn = self._rng.integers(2**64, size=(len(pairs), 3), dtype=np.uint64).tolist()
        deals = [Deal(cards, pair, luck) for pair, (cards, *luck) in zip(pairs, drawn, strict=True)]
        played = sorted(play_deals(truco, self._players, deals), key=lambda outcome: outcome.number)
        for deal, outcome in zip(deals, played, strict=True):
            new = watch(TRUCO, truco.deal(deal.seed), outcome.actions, int(self._rng.integers(2)))
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
        """The base of the hands, its groups filled in."""
        base = CaseBase(TRUCO, self.cases, cluster_all(TRUCO, self.cases), story)
        label(base)
        return base


def _read(path: Path) -> Cases:
    cases = _watched(path) if path.suffix in RECORDS else read_cases(TRUCO.schema, path, labels=False)[0]
    if not len(cases):
        raise BadInput(f"{path} holds no finished hand of truco")
    return cases


def _watched(path: Path) -> Cases:
    found = [np.zeros(0, TRUCO.schema.dtype)]
    for number, record in enumerate(read_records(path), 1):
        try:
            table = replay(record)
        except BadInput as problem:
            raise BadInput(f"{path}, record {number}: {problem}") from None
        if table.game.name == TRUCO.game:
            people = [seat for seat, name in enumerate(table.players or ()) if name == HUMAN]
            found += [watch_table(TRUCO, table, seat) for seat in people or (0, 1)]
    return np.concatenate(found)
