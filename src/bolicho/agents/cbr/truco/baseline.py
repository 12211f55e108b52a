"""The synthetic baseline: hands observed between the scripted styles.

The 3,195 human hands of the research group are not public (Paulus 2020, Paulus et al.).  This base has as
many, from matches between scripted players of varied temper, and says in its own metadata that it is
synthetic.  Whoever has hands of people makes a base of them instead (`base_of`).
"""

import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from bolicho.agents.cbr.casebase import CaseBase, Cases, read_cases
from bolicho.agents.cbr.clusters import cluster_all, label
from bolicho.agents.cbr.observe import watch, watch_table
from bolicho.agents.cbr.truco.scenarios import TRUCO
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.rules.truco import STYLES, Scripted
from bolicho.errors import BadInput, unknown
from bolicho.games import game
from bolicho.games.record import read_records, replay

HANDS = 3195  # Paulus 2020, section 3.1
SEED = 1
RECORDS = (".json", ".jsonl")
HUMAN = "human"  # how records name a person's seat


def make_baseline(hands: int = HANDS, seed: int = SEED, styles: Sequence[str] = ()) -> CaseBase:
    """Observe matches between all pairs of styles, one seat of each drawn at random, until there are enough hands.

    The styles are all there are, or those named.
    """
    for style in styles:
        if style not in STYLES:
            raise unknown("scripted style", style, STYLES)
    truco = game(TRUCO.game)
    rng = np.random.default_rng(seed)
    players = [partial(Scripted, style) for style in styles or STYLES]
    pairs = list(itertools.product(range(len(players)), repeat=2))
    found = np.zeros(0, TRUCO.schema.dtype)
    while len(found) < hands:
        drawn = rng.integers(2**64, size=(len(pairs), 3), dtype=np.uint64).tolist()
        deals = [Deal(cards, pair, luck) for pair, (cards, *luck) in zip(pairs, drawn, strict=True)]
        played = sorted(play_deals(truco, players, deals), key=lambda outcome: outcome.number)
        for deal, outcome in zip(deals, played, strict=True):
            seen = watch(TRUCO, truco.deal(deal.seed), outcome.actions, int(rng.integers(2)))
            found = np.concatenate([found, seen])
    made = {"name": "baseline", "kind": "synthetic", "hands": hands, "seed": seed}
    if styles:
        made["styles"] = list(styles)
    return _clustered(CaseBase(TRUCO, found[:hands], (), made))


def base_of(path: Path) -> CaseBase:
    """The base of a file of recorded matches (.json, .jsonl), or of cases that may lack their groups (.csv, .parquet).

    Of a match the hands of the seats named `human` are taken, or of both where nobody is.
    """
    cases = _watched(path) if path.suffix in RECORDS else read_cases(TRUCO.schema, path, labels=False)[0]
    if not len(cases):
        raise BadInput(f"{path} holds no finished hand of truco")
    return _clustered(CaseBase(TRUCO, cases, (), {"name": path.stem, "kind": "recorded", "hands": len(cases)}))


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


def _clustered(base: CaseBase) -> CaseBase:
    base.clusterings = cluster_all(TRUCO, base.cases)
    label(base)
    return base
