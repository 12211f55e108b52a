"""Future work of Rossato 2020, option by option."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.markov.agent import Markov
from bolicho.agents.markov.options import PLUS, PUBLISHED, SHIPPED, SINGLE, WITHOUT, MarkovOptions, new_player_state
from bolicho.agents.markov.train import (
    AS_PLUS,
    AS_PUBLISHED,
    PLUS_EXPLORES,
    PLUS_MATCHES,
    TrainingParameters,
    evolution,
)
from bolicho.agents.mirrored_games import meet
from bolicho.agents.rules.truco.styles import STYLES
from bolicho.games import game
from bolicho.lab.markov import published
from bolicho.lab.study import Cell, Effort, Findings, Table, share
from bolicho.progress import tracked


def run(effort: Effort) -> Findings:
    """Measure each proposed improvement alone, and the combination without it."""
    parts = effort.pick(quick=Parts(500, 500, 100, 5), full=Parts(published.SELF_PLAY_MATCHES, PLUS_MATCHES, 350, 50))
    seeds = range(effort.seed, effort.seed + effort.pick(quick=1, full=3))
    return Findings(
        tables=[effects_table(effects(parts, seeds)), styles_table(effort.pick(quick=100, full=500), effort.seed)],
        notes=[
            f"Alone: {parts.alone:,} matches of self-play from the initial matrices, as published. Combined: "
            f"{parts.combined:,} matches as markov-plus is trained, itself and the scripted styles in turn. Then two "
            f"players meet on {parts.deals:,} deals, each played from both seats, and each of the four case-based "
            f"agents (learned base) on {parts.deals_of_four:,}. All of it with {len(seeds)} seeds.",
        ],
    )


@dataclass(frozen=True)
class Parts:
    """Sizes of the study: training matches alone and combined, and deals of the comparisons."""

    alone: int
    combined: int
    deals: int
    deals_of_four: int


Shares = NDArray[np.float64]
"""Share of matches won, by training and deal."""


@dataclass(frozen=True)
class Effect:
    """Effect of an option."""

    alone: Shares
    """The option alone against `markov`."""
    without: Shares | None
    """All options but this one against all options."""
    four: Shares
    """All options but this one against the four case-based agents."""


def trained(options: MarkovOptions, matches: int, seed: int, recipe: TrainingParameters = AS_PUBLISHED) -> Markov:
    """Train a player with these options; with adaptive minimums it explores, since their ledger needs both answers."""
    explore = PLUS_EXPLORES if options.minimums == "adaptive" else 0.0
    recipe = replace(recipe, options=options, explore=explore)
    return Markov.of(options, new_player_state(options, next(iter(evolution(matches, 1, seed, recipe)))))


def won(one: Markov | str, other: Markov | str, deals: int, seed: int) -> Shares:
    """Return the share of the two matches of each deal, seats exchanged, that `one` wins: 0, 0.5 or 1; without
    learning."""
    makers = [who if isinstance(who, str) else partial(_itself, who) for who in (one, other)]
    return meet(game("truco"), makers, deals, seed).first_won


def _itself(player: Markov) -> Markov:
    return player


def effects(parts: Parts, seeds: Sequence[int]) -> dict[str, Effect]:
    """Measure the effect of each option and of all together; each seed is a training and its deals."""
    rows: dict[str, list[tuple[Shares, Shares | None, Shares]]] = {name: [] for name in (*SINGLE, "everything")}
    asked = [(seed, name) for seed in seeds for name in ("everything", *SINGLE)]
    for seed, name in tracked(asked, "options", len(asked)):
        if name == "everything":
            base, plus = trained(PUBLISHED, parts.alone, seed), trained(PLUS, parts.combined, seed, AS_PLUS)
            four = against_four(plus, parts.deals_of_four, seed)
            rows[name].append((won(plus, base, parts.deals, seed), None, four))
        else:
            alone = won(trained(SINGLE[name], parts.alone, seed), base, parts.deals, seed)
            without = trained(WITHOUT[name], parts.combined, seed, AS_PLUS)
            four = against_four(without, parts.deals_of_four, seed)
            rows[name].append((alone, won(without, plus, parts.deals, seed), four))
    return {name: _effect(found) for name, found in rows.items()}


def _effect(found: Sequence[tuple[Shares, Shares | None, Shares]]) -> Effect:
    alone, without, four = zip(*found, strict=True)
    known = [shares for shares in without if shares is not None]
    return Effect(np.array(alone), np.array(known) if known else None, np.array(four))


def against_four(ours: Markov, deals: int, seed: int) -> Shares:
    """Return the share of matches won against the four case-based agents, by deal; all play the same deals."""
    each = [won(ours, f"{name}(base=learned)", deals, seed) for name in published.OPPONENTS]
    return np.asarray(np.mean(each, axis=0))


def effects_table(found: Mapping[str, Effect]) -> Table:
    """Tabulate the effects of the options, with their range over trainings."""
    rows: list[list[Cell]] = []
    for name, effect in found.items():
        cells: list[Cell] = [name]
        for shares in (effect.alone, effect.without, effect.four):
            if shares is None:
                cells += [None, None]
            else:
                each = 100 * shares.mean(axis=1)
                cells += [share(shares.ravel()), f"{each.min():.0f} to {each.max():.0f}"]
        rows.append(cells)
    note = (
        "Share of matches won, and its range over the trainings in percent. First the option alone against the "
        "published agent; then everything but the option, against everything and against the four case-based agents."
    )
    asked = ("alone, against markov", "left out, against everything", "left out, against the four")
    columns = ["option", *(column for what in asked for column in (what, f"range {what}"))]
    return Table("Options, one by one", columns, rows, note)


def styles_table(deals: int, seed: int = 1) -> Table:
    """Tabulate the shipped agents against the scripted styles."""
    rows: list[list[Cell]] = [[style, *(share(won(name, style, deals, seed)) for name in SHIPPED)] for style in STYLES]
    return Table("Against the scripted styles", ["style", *SHIPPED], rows, "Share of matches won; the shipped bases.")
