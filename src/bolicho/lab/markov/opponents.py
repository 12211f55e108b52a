"""The studies of Rossato 2020: self-play in heatmaps, four case-based opponents, and its future work.

Where the text and the author's scripts differ, the text is what was published and the scripts stand beside
it (`Options.reading`).  The opponents here learned from synthetic hands, not from the hands of people
that the published opponents knew; what that does is the study of `calling`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from bolicho.agents.agent import agent
from bolicho.agents.markov.agent import INITIAL, Markov
from bolicho.agents.markov.duel import duel
from bolicho.agents.markov.heatmap import SHOWN, campaign_figures, evolution_figures, initial_figures
from bolicho.agents.markov.layout import MODES, UNIT, matrix
from bolicho.agents.markov.matrices import Learned, initial, load_learned
from bolicho.agents.markov.options import (
    PLUS,
    PUBLISHED,
    SHIPPED,
    SINGLE,
    TO_THE_LETTER,
    WITHOUT,
    MindPool,
    Options,
    new_mind,
)
from bolicho.agents.markov.train import (
    AS_PLUS,
    AS_PUBLISHED,
    PLUS_EXPLORES,
    PLUS_MATCHES,
    Recipe,
    evolution,
)
from bolicho.agents.rules.truco.styles import STYLES
from bolicho.arena.experiment import Experiment
from bolicho.arena.play import play
from bolicho.arena.run import run as run_experiment
from bolicho.arena.stats import Estimate, rate
from bolicho.games import game
from bolicho.games.chance import stream
from bolicho.games.kernel import CHOSE
from bolicho.games.truco import kernel as truco_kernel
from bolicho.lab.markov import published
from bolicho.lab.study import PUBLISHED as BESIDE
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table

# --- Self-play: figures 5.5 to 5.11 -------------------------------------------------------------


def run_self_play(effort: Effort) -> Findings:
    """Five thousand matches against itself, and what they did to the matrices."""
    tables, figures = [], [_figure(name, plot) for name, plot in initial_figures().items()]
    for options in (TO_THE_LETTER, PUBLISHED):
        recipe = replace(AS_PUBLISHED, options=options)
        snapshots = list(evolution(published.SELF_PLAY_MATCHES, published.SNAPSHOTS, effort.seed, recipe))
        tables.append(growth_table(snapshots, options.reading))
        figures += [_figure(name, plot, options.reading) for name, plot in evolution_figures(snapshots).items()]
    return Findings(
        tables=tables,
        figures=figures,
        notes=[
            "Victories of each mode: one's own states downwards, the opponent's to the right, weak to strong; "
            "few victories brown, many blue. Every heatmap has its own scale, as published. " + READINGS_NOTE,
        ],
    )


READINGS_NOTE = (
    "By the text: as Rossato 2020 describes the agent. By the scripts: as the author's scripts play it, "
    "to which its section 5.1 refers."
)


def _figure(name: str, plot: Plot, reading: str = "") -> Figure:
    """The drawing of a published figure; by the text it bears the published number alone."""
    beside = "-scripts" if reading == "scripts" else ""
    return Figure(f"figure-{name}{beside}", plot, f"As figure {name} of Rossato 2020{_by(reading)}.")


def _by(reading: str) -> str:
    return f", by the {reading}" if reading else ""


def growth_table(snapshots: Sequence[Learned], reading: str = "") -> Table:
    """How much the matrices moved by each snapshot that is drawn."""
    start = initial()
    rows: list[list[Cell]] = []
    for number in SHOWN:
        learned = snapshots[number - 1]
        row: list[Cell] = [number]
        for mode in MODES:
            now, then = matrix(learned.block, mode), matrix(start.block, mode)
            row += [f"{100 * np.mean(now != then):.1f}%", int(now.max()) // UNIT]
        rows.append(row)
    columns = [f"{mode}, {what}" for mode in MODES for what in ("moved", "largest")]
    title = f"Growth of the matrices{_by(reading)}"
    return Table(title, ["snapshot", *columns], rows, "Share of cells that moved; largest count.")


# --- Four opponents: tables 5.2 to 5.4, figures 5.12 to 5.16 ------------------------------------


def run_opponents(effort: Effort) -> Findings:
    """The four best case-based agents: as published, and what the shipped agents do against them."""
    matches = effort.pick(quick=100, full=published.CAMPAIGN_MATCHES)
    tables, figures = [], []
    for options in (TO_THE_LETTER, PUBLISHED):
        with_base = {
            base: campaigns(
                {name: f"{name}(base={base})" for name in published.OPPONENTS}, matches, effort.seed, options
            )
            for base in ("learned", "baseline")
        }
        found, by = with_base["learned"], options.reading
        tables += [table_5_2(found, by), table_5_3(found, by), table_5_4(with_base["baseline"], by)]
        tables.append(points_table(with_base, by))
        drawn = campaign_figures({name: done.learned for name, done in found.items()})
        figures += [_figure(name, plot, by) for name, plot in drawn.items()]
    tables.append(shipped_table(effort, tuple(SHIPPED), published.OPPONENTS, effort.pick(quick=100, full=500)))
    return Findings(
        tables=tables,
        figures=figures,
        notes=[
            "Tables 5.2 to 5.4: the published agent begins with the initial matrices and learns from what it sees, "
            "match after match. The opponents do not learn. " + READINGS_NOTE,
        ],
    )


@dataclass(frozen=True)
class Campaign:
    """Matches against one opponent, learning on the way (Rossato 2020, tables 5.2 to 5.4)."""

    won: list[bool]
    mao: list[bool]
    """Whether it began the match as mão."""
    hands: int
    points: Mapping[tuple[int, bool], int]
    """By what they were scored for (BY_CARDS and so on) and whether it scored them itself."""
    trucos: int
    """Hands in which the opponent was the first to call truco."""
    learned: Learned

    @property
    def calls(self) -> float:
        """In what share of the hands the opponent called truco."""
        return self.trucos / self.hands


def campaign(opponent: str, matches: int, seed: int = 1, options: Options = PUBLISHED) -> Campaign:
    """Play an agent from the initial matrices on, the seats alternating, and learn from what is seen."""
    truco = game("truco")
    ours, theirs = Markov(INITIAL, True, **options.facts()), agent(opponent, "truco")
    won, mao = [], []
    hands, trucos, points = 0, 0, Counter[tuple[int, bool]]()
    for match in range(matches):
        seat = match % 2
        played = play(truco, [ours, theirs] if seat == 0 else [theirs, ours], int(stream(np.uint64(seed), match)))
        won.append(played.payoffs[seat] > 0)
        rows = played.table.view(seat).rows
        dealt = rows[rows[:, 0] == truco_kernel.DEALT]
        mao.append(bool(dealt[0, 1] == seat))
        hands += len(dealt)
        chosen = rows[rows[:, 0] == CHOSE]
        trucos += int(np.count_nonzero((chosen[:, 1] != seat) & (chosen[:, 2] == truco_kernel.TRUCO)))
        for _, who, value, why in rows[rows[:, 0] == truco_kernel.POINTS].tolist():
            points[why, who == seat] += value
    return Campaign(won, mao, hands, points, trucos, ours.learned)


def campaigns(
    opponents: Mapping[str, str], matches: int, seed: int = 1, options: Options = PUBLISHED
) -> dict[str, Campaign]:
    """The published agent against each opponent's spec."""
    shown = track(opponents.items(), "campaigns", console=Console(stderr=True), transient=True)
    return {name: campaign(spec, matches, seed, options) for name, spec in shown}


def measured(estimate: Estimate, published: float | None = None) -> Measured:
    """A share with its interval, the published one beside it."""
    return Measured(estimate.value, estimate.low, estimate.high, published, percent=True)


def table_5_2(found: Mapping[str, Campaign], reading: str = "") -> Table:
    """Matches won, how many of the wins began as mão and as pé, and of the defeats as pé; published beside measured."""
    rows: list[list[Cell]] = []
    for name, done in found.items():
        total, mao, pe = published.TABLE_5_2.get(name, (None, None, None))
        won = [as_mao for won, as_mao in zip(done.won, done.mao, strict=True) if won]
        lost = [as_mao for won, as_mao in zip(done.won, done.mao, strict=True) if not won]
        beaten = _share(_not(lost), published.DEFEATS_AS_PE.get(name))
        rows.append([name, measured(rate(done.won), total), *_share(won, mao), *_share(_not(won), pe), *beaten])
    matches = len(next(iter(found.values())).won)
    note = f"{matches} matches each; published: {published.CAMPAIGN_MATCHES}."
    shares = ("of these as mão", "of these as pé", "of the defeats as pé")
    columns = ["opponent", "matches won", *(share + beside for share in shares for beside in ("", BESIDE))]
    return Table(f"Wins, learned base (table 5.2){_by(reading)}", columns, rows, note)


def _not(units: Sequence[bool]) -> list[bool]:
    return [not unit for unit in units]


def _share(units: Sequence[bool], published: float | None) -> tuple[Cell, Cell]:
    """A share of something, where there is anything, and the published one."""
    return measured(rate(units)) if units else None, None if published is None else f"{100 * published:.1f}%"


def table_5_3(found: Mapping[str, Campaign], reading: str = "") -> Table:
    """Wins in each hundred matches; published beside measured."""
    hundreds = len(next(iter(found.values())).won) // 100
    rows: list[list[Cell]] = []
    for name, done in found.items():
        wins = np.array(done.won[: 100 * hundreds]).reshape(hundreds, 100).sum(axis=1)
        known = published.TABLE_5_3.get(name, ())
        rows.append(
            [name, *(Measured(float(n), published=known[i] if i < len(known) else None) for i, n in enumerate(wins))]
        )
    columns = ["opponent", *(f"to {100 * (i + 1)}" for i in range(hundreds))]
    return Table(f"Wins in each hundred (table 5.3){_by(reading)}", columns, rows)


def table_5_4(found: Mapping[str, Campaign], reading: str = "") -> Table:
    """Matches won with the initial base on both sides; published beside measured."""
    rows: list[list[Cell]] = [
        [name, measured(rate(done.won), published.TABLE_5_4.get(name))] for name, done in found.items()
    ]
    matches = len(next(iter(found.values())).won)
    note = f"{matches} matches each; published: {published.INITIAL_MATCHES}."
    return Table(f"Wins, initial bases (table 5.4){_by(reading)}", ["opponent", "matches won"], rows, note)


SOURCES = {
    "cards": truco_kernel.BY_CARDS,
    "truco refused": truco_kernel.BY_REFUSAL,
    "envido": truco_kernel.BY_ENVIDO,
    "flor": truco_kernel.BY_FLOR,
}


def points_table(found: Mapping[str, Mapping[str, Campaign]], reading: str = "") -> Table:
    """What the points of a hand come from, by the opponents' base: who bets, who refuses, who wins by cards."""
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
    title = f"Where the points come from{_by(reading)}"
    return Table(title, ["opponent", "its base", "calls truco", *SOURCES], rows, note)


def shipped_table(effort: Effort, agents: Sequence[str], opponents: Sequence[str], duplicates: int) -> Table:
    """What agents win against opponents with the learned base, on duplicate deals; nobody learns."""
    rows: list[list[Cell]] = []
    for name in opponents:
        row: list[Cell] = [name]
        for ours in agents:
            met = Experiment(
                "truco", [ours, f"{name}(base=learned)"], duplicates=duplicates, seed=effort.seed, move_limit=None
            )
            result = run_experiment(met, effort.folder / f"{ours}-{name}", effort.jobs).result
            won = next(row["rate"] for row in result["agents"] if row["agent"] == ours)
            row.append(Measured(won["value"], won["low"], won["high"], percent=True))
        rows.append(row)
    note = f"{duplicates} deals, each from both seats; the shipped bases."
    return Table("The shipped agents against the learned base", ["opponent", *agents], rows, note)


# --- Future work, one by one --------------------------------------------------------------------


def run_options(effort: Effort) -> Findings:
    """Each improvement that was wished for, alone and left out of the combination."""
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
    """How many matches the options' players are trained by, alone and combined, and on how many deals they meet."""

    alone: int
    combined: int
    deals: int
    deals_of_four: int


Shares = NDArray[np.float64]
"""By training and deal: the share of the matches that were won."""


@dataclass(frozen=True)
class Effect:
    """What an option does."""

    alone: Shares
    """The option alone against `markov`."""
    without: Shares | None
    """Everything but the option against everything."""
    four: Shares
    """Everything but the option against the four case-based agents."""


def trained(options: Options, matches: int, seed: int, recipe: Recipe = AS_PUBLISHED) -> MindPool:
    """A player of these options after that much training; a log of answers needs both kinds, so it explores."""
    explore = PLUS_EXPLORES if options.minimums == "adaptive" else 0.0
    recipe = replace(recipe, options=options, explore=explore)
    return new_mind(options, next(iter(evolution(matches, 1, seed, recipe))))


def effects(parts: Parts, seeds: Sequence[int]) -> dict[str, Effect]:
    """The effect of each option, and of everything; each seed is a training and its deals."""
    everything = {seed: trained(PLUS, parts.combined, seed, AS_PLUS) for seed in seeds}
    rows: dict[str, list[tuple[Shares, Shares | None, Shares]]] = {name: [] for name in (*SINGLE, "everything")}
    for seed in seeds:
        base, plus = trained(PUBLISHED, parts.alone, seed), everything[seed]
        for name, single in SINGLE.items():
            alone = duel(trained(single, parts.alone, seed), base, parts.deals, seed)
            without = trained(WITHOUT[name], parts.combined, seed, AS_PLUS)
            four = against_four(WITHOUT[name], without, parts.deals_of_four, seed)
            rows[name].append((alone, duel(without, plus, parts.deals, seed), four))
        four = against_four(PLUS, plus, parts.deals_of_four, seed)
        rows["everything"].append((duel(plus, base, parts.deals, seed), None, four))
    return {name: _effect(found) for name, found in rows.items()}


def _effect(found: Sequence[tuple[Shares, Shares | None, Shares]]) -> Effect:
    alone, without, four = zip(*found, strict=True)
    known = [shares for shares in without if shares is not None]
    return Effect(np.array(alone), np.array(known) if known else None, np.array(four))


def against_four(options: Options, mind: MindPool, deals: int, seed: int) -> Shares:
    """The share of matches won against the four case-based agents, all on the same deals, by deal."""
    truco, ours = game("truco"), Markov.of(options, mind)
    shares = np.zeros((len(published.OPPONENTS), deals))
    for i, name in enumerate(published.OPPONENTS):
        theirs = agent(f"{name}(base=learned)", "truco")
        for deal in range(deals):
            cards = int(stream(np.uint64(seed), deal))
            first, second = play(truco, [ours, theirs], cards), play(truco, [theirs, ours], cards)
            shares[i, deal] = ((first.payoffs[0] > 0) + (second.payoffs[1] > 0)) / 2
    return np.asarray(shares.mean(axis=0))


def effects_table(found: Mapping[str, Effect]) -> Table:
    """The effects of the options, with the spread over trainings."""
    rows: list[list[Cell]] = []
    for name, effect in found.items():
        cells: list[Cell] = [name]
        for shares in (effect.alone, effect.without, effect.four):
            if shares is None:
                cells += [None, None]
            else:
                each = 100 * shares.mean(axis=1)
                cells += [measured(rate(shares.ravel())), f"{each.min():.0f} to {each.max():.0f}"]
        rows.append(cells)
    note = (
        "Share of matches won, and its range over the trainings in percent. First the option alone against the "
        "published agent; then everything but the option, against everything and against the four case-based agents."
    )
    asked = ("alone, against markov", "left out, against everything", "left out, against the four")
    columns = ["option", *(column for what in asked for column in (what, f"range {what}"))]
    return Table("Options, one by one", columns, rows, note)


def styles_table(deals: int, seed: int = 1) -> Table:
    """The shipped agents against the scripted styles."""
    minds = {name: new_mind(options, load_learned(name)[0]) for name, options in SHIPPED.items()}
    rows: list[list[Cell]] = [
        [style, *(measured(rate(duel(mind, style, deals, seed))) for mind in minds.values())] for style in STYLES
    ]
    return Table("Against the scripted styles", ["style", *minds], rows, "Share of matches won; the shipped bases.")
