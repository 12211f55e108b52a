"""The Markov agent against four case-based opponents: tables 5.2 to 5.4 and figures 5.12 to 5.16 of Rossato 2020.

The opponents are those of Paulus 2020 as published, and ours (`case_based.py`). They learned from synthetic hands, not
from hands of people as the published opponents did; the study `calling` examines the effect.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bolicho.agents.markov.agent import INITIAL, Markov
from bolicho.agents.markov.heatmap import campaign_figures
from bolicho.agents.markov.layout import level_counts, matrix
from bolicho.agents.markov.matrices import LearnedMatrices
from bolicho.agents.markov.options import PUBLISHED, TO_THE_LETTER, MarkovOptions
from bolicho.agents.markov.options import SHIPPED as SHIPPED_AGENTS
from bolicho.agents.markov.states import CLASS_NAMES, ENVIDO_STATES, LEVELS, order_name
from bolicho.agents.play import play
from bolicho.agents.registry import agent
from bolicho.arena.experiment import Experiment
from bolicho.games import game
from bolicho.games.compiled.chance import stream
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as truco_kernel
from bolicho.lab.markov import positions, published
from bolicho.lab.markov.case_based import AS_PUBLISHED, BASELINE, LEARNED, OURS, SETTINGS, SHIPPED, shipped_bases, specs
from bolicho.lab.markov.readings import READINGS_NOTE, by, published_figure
from bolicho.lab.markov.self_play import growth_table, is_brown
from bolicho.lab.study import PUBLISHED as BESIDE
from bolicho.lab.study import Cell, Effort, Findings, Measured, Table, share, standing
from bolicho.progress import tracked
from bolicho.stats import Estimate


def run(effort: Effort) -> Findings:
    """Play the published agent and the shipped agents against the four best case-based agents."""
    matches = effort.pick(quick=100, full=published.CAMPAIGN_MATCHES)
    tables, figures = [], []
    for options in (TO_THE_LETTER, PUBLISHED):
        for settings in SETTINGS:
            with_base = {
                kind: campaigns(specs(settings, kind, base), matches, effort.seed, options)
                for kind, base in shipped_bases(effort, settings).items()
            }
            found, about = with_base[LEARNED], by(options.reading, settings)
            tables += [table_5_2(found, about), table_5_3(found, about), table_5_4(with_base[BASELINE], about)]
            tables.append(points_table(with_base, about))
            tables += positions.tables({name: done.log for name, done in found.items()}, about)
            after = {name: done.learned for name, done in found.items()}
            tables += [growth_table(after, "opponent", about), described_table(after, about)]
            figures += [
                published_figure(name, plot, options.reading, settings)
                for name, plot in campaign_figures(after).items()
            ]
    tables.append(positions.published_table())
    opponents = {settings: specs(settings, LEARNED, SHIPPED[settings]) for settings in SETTINGS}
    tables.append(shipped_table(effort, tuple(SHIPPED_AGENTS), opponents, effort.pick(quick=100, full=500)))
    return Findings(
        tables=tables,
        figures=figures,
        notes=[
            "Tables 5.2 to 5.4: the published agent begins with the initial matrices and learns from what it sees, "
            "match after match. The opponents do not learn. " + READINGS_NOTE,
            f"Opponents {AS_PUBLISHED}: the reading of Paulus 2020 that explains most printed facts, its options, its "
            f"initial base and the base learned so (`published`). Opponents {OURS}: our options and bases.",
        ],
    )


@dataclass(frozen=True)
class Campaign:
    """Results against one opponent, with learning from match to match (Rossato 2020, tables 5.2 to 5.4)."""

    won: list[bool]
    mao: list[bool]
    """True for each match that the agent began as mão."""
    hands: int
    points: Mapping[tuple[int, bool], int]
    """Sums of points by reason (BY_CARDS and so on) and by whether the agent scored them."""
    trucos: int
    """Hands in which the opponent called truco first."""
    learned: LearnedMatrices
    log: Sequence[positions.Hand] = ()
    """Hands of all matches, from the agent's view."""

    @property
    def calls(self) -> float:
        """Share of the hands in which the opponent called truco."""
        return self.trucos / self.hands


def campaign(opponent: str, matches: int, seed: int = 1, options: MarkovOptions = PUBLISHED) -> Campaign:
    """Play matches in alternating seats with an agent that starts from the initial matrices and learns."""
    truco = game("truco")
    ours, theirs = Markov(INITIAL, True, options), agent(opponent, "truco")
    won, mao = [], []
    log: list[positions.Hand] = []
    hands, trucos, points = 0, 0, Counter[tuple[int, bool]]()
    for match in range(matches):
        seat = match % 2
        played = play(truco, [ours, theirs] if seat == 0 else [theirs, ours], int(stream(np.uint64(seed), match)))
        won.append(played.payoffs[seat] > 0)
        rows = played.table.view(seat).rows
        log += positions.hands_of(rows, seat, match)
        dealt = rows[rows[:, 0] == truco_kernel.DEALT]
        mao.append(bool(dealt[0, 1] == seat))
        hands += len(dealt)
        chosen = rows[rows[:, 0] == CHOSE]
        trucos += int(np.count_nonzero((chosen[:, 1] != seat) & (chosen[:, 2] == truco_kernel.TRUCO)))
        for _, who, value, why in rows[rows[:, 0] == truco_kernel.POINTS].tolist():
            points[why, who == seat] += value
    return Campaign(won, mao, hands, points, trucos, ours.learned, log)


def campaigns(
    opponents: Mapping[str, str], matches: int, seed: int = 1, options: MarkovOptions = PUBLISHED
) -> dict[str, Campaign]:
    """Play the published agent against each opponent."""
    shown = tracked(opponents.items(), "campaigns", len(opponents))
    return {name: campaign(spec, matches, seed, options) for name, spec in shown}


def table_5_2(found: Mapping[str, Campaign], about: str = "") -> Table:
    """Tabulate the matches won, the wins begun as mão and as pé, and the defeats begun as pé."""
    rows: list[list[Cell]] = []
    for name, done in found.items():
        total, mao, pe = published.TABLE_5_2.get(name, (None, None, None))
        won = [as_mao for won, as_mao in zip(done.won, done.mao, strict=True) if won]
        lost = [as_mao for won, as_mao in zip(done.won, done.mao, strict=True) if not won]
        beaten = _share(_not(lost), published.DEFEATS_AS_PE.get(name))
        rows.append([name, share(done.won, total), *_share(won, mao), *_share(_not(won), pe), *beaten])
    matches = len(next(iter(found.values())).won)
    note = f"{matches} matches each; published: {published.CAMPAIGN_MATCHES}."
    shares = ("of these as mão", "of these as pé", "of the defeats as pé")
    columns = ["opponent", "matches won", *(share + beside for share in shares for beside in ("", BESIDE))]
    return Table(f"Wins, learned base (table 5.2){about}", columns, rows, note)


def _not(units: Sequence[bool]) -> list[bool]:
    return [not unit for unit in units]


def _share(units: Sequence[bool], published: float | None) -> tuple[Cell, Cell]:
    """Return a share, or None without units, and the published share."""
    return share(units) if units else None, None if published is None else f"{100 * published:.1f}%"


def table_5_3(found: Mapping[str, Campaign], about: str = "") -> Table:
    """Tabulate the wins in each hundred matches."""
    hundreds = len(next(iter(found.values())).won) // 100
    rows: list[list[Cell]] = []
    for name, done in found.items():
        wins = np.array(done.won[: 100 * hundreds]).reshape(hundreds, 100).sum(axis=1)
        known = published.TABLE_5_3.get(name, ())
        rows.append(
            [
                name,
                *(Measured(Estimate(float(n)), known[i] if i < len(known) else None) for i, n in enumerate(wins)),
            ]
        )
    columns = ["opponent", *(f"to {100 * (i + 1)}" for i in range(hundreds))]
    all_won = [won for done in found.values() for won in done.won]
    note = f"{sum(all_won)} wins in {len(all_won):,} matches: {share(all_won)}."
    return Table(f"Wins in each hundred (table 5.3){about}", columns, rows, note)


def table_5_4(found: Mapping[str, Campaign], about: str = "") -> Table:
    """Tabulate the matches won with the initial base on both sides."""
    rows: list[list[Cell]] = [[name, share(done.won, published.TABLE_5_4.get(name))] for name, done in found.items()]
    matches = len(next(iter(found.values())).won)
    note = f"{matches} matches each; published: {published.INITIAL_MATCHES}."
    return Table(f"Wins, initial bases (table 5.4){about}", ["opponent", "matches won"], rows, note)


SOURCES = {
    "cards": truco_kernel.BY_CARDS,
    "truco refused": truco_kernel.BY_REFUSAL,
    "envido": truco_kernel.BY_ENVIDO,
    "flor": truco_kernel.BY_FLOR,
}


def points_table(found: Mapping[str, Mapping[str, Campaign]], about: str = "") -> Table:
    """Tabulate the points per hand by source (cards, refusals, bets), for each opponent and base."""
    rows: list[list[Cell]] = []
    for base, campaigns in found.items():
        for name, done in campaigns.items():
            both = [
                f"{done.points[why, True] / done.hands:.2f} : {done.points[why, False] / done.hands:.2f}"
                for why in SOURCES.values()
            ]
            rows.append([name, base, f"{100 * done.calls:.0f}%", *both])
    note = (
        "How often the opponent calls truco first, and the points a hand, the Markov agent's : the opponent's, in the "
        "matches of tables 5.2 and 5.4."
    )
    title = f"Where the points come from{about}"
    return Table(title, ["opponent", "its base", "calls truco", *SOURCES], rows, note)


MIDDLE = len(ENVIDO_STATES) // 2  # column between the halves of an envido heatmap
NEARLY = 0.8  # share of a card's largest count from which a level is listed


def described_table(after: Mapping[str, LearnedMatrices], about: str = "") -> Table:
    """Tabulate brown halves, strong orders and levels of the cards, as section 5.4 describes figures 5.12, 5.15 and
    5.16."""
    rows: list[list[Cell]] = []
    for name, learned in after.items():
        brown = is_brown(matrix(learned.block, "envido"))
        orders = ~is_brown(matrix(learned.block, "cards"))
        strong = [f"{order_name(one)}-{order_name(other)}" for one, other in np.argwhere(orders).tolist()]
        levels = level_counts(learned.block)
        likely = ["".join(np.array(list(LEVELS))[counts >= NEARLY * counts.max()]) for counts in levels.T]
        rows.append([
            name, f"{brown[:, :MIDDLE].mean():.0%}", f"{brown[:, MIDDLE + 1:].mean():.0%}",
            ", ".join(strong), ", ".join(f"{card} {level}" for card, level in zip(CLASS_NAMES, likely, strict=True)),
        ])  # fmt: skip
    note = (
        "Shares of brown cells where the opponent is weak (left) and strong (right); orders, one's own against the "
        f"opponent's, in the upper half of the scale; the levels of each card with {NEARLY:.0%} of its largest count."
    )
    columns = [
        "opponent",
        "envido, left half brown",
        "right half brown",
        "strong orders (figure 5.15)",
        "levels (figure 5.16)",
    ]
    return Table(f"What is described of the heatmaps{about}", columns, rows, note)


def shipped_table(
    effort: Effort, agents: Sequence[str], opponents: Mapping[str, Mapping[str, str]], duplicates: int
) -> Table:
    """Tabulate matches won against opponents with the learned bases, on duplicate deals; no agent learns."""
    rows: list[list[Cell]] = []
    for settings, specs_of in opponents.items():
        for name, spec in specs_of.items():
            row: list[Cell] = [name, settings]
            for ours in agents:
                met = Experiment("truco", [ours, spec], duplicates=duplicates, seed=effort.seed, move_limit=None)
                result = effort.play(met, f"{ours}-{name}-{SETTINGS.index(settings)}").result
                row += standing(next(row for row in result["agents"] if row["agent"] == ours), "rate")
            rows.append(row)
    note = f"{duplicates} deals, each from both seats; the shipped bases."
    return Table("The shipped agents against the learned bases", ["opponent", "options and base", *agents], rows, note)
