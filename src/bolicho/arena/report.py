"""A run for people: `index.html`, and the standings on the terminal."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from bolicho.agents.agent import is_elsewhere
from bolicho.arena.page import ACCENT, INK, LINE, LOSE, PAPER, SERIES, SOFT, WIN, Cell, Page, Value, plot_style
from bolicho.arena.seeds import as_number, is_drawn
from bolicho.arena.summary import pair_rates
from bolicho.stats import Estimate

if TYPE_CHECKING:
    from bolicho.arena.run import Run

SEAT_NAMES = {"truco": ("mão", "pé")}
"""What the seats of a game are called; in Truco by who is which in the first hand of a match."""

WIDTH = 9.6  # inches of a figure: the width of the page


def write_report(path: Path, result: dict[str, Any], made: dict[str, Any]) -> None:
    """Write the page of a run from its `result.json` and `made.json`."""
    agents = result["agents"]
    page = Page(_title(result), result["title"].partition(":")[0] if result["rules"] else result["title"])
    page.facts(_facts(result, made))
    page.text(headline(result))
    page.heading("Standings")
    page.table(standings_rows(result), standings_caption(result))
    if len(agents) > 1:
        page.figure(_ratings_figure(agents), _RATINGS_CAPTION)
        page.heading("Each against each")
        if _by_payoff(result):
            page.text("What the agent of the row gained in a game with that of the column, on average.")
            page.table(_payoff_rows(result), _PAYOFF_CAPTION, dense=True)
        page.text("How often the agent of the row did better than that of the column, in percent.")
        page.table(_cross_rows(result), _CROSS_CAPTION, dense=True)
        page.heading("How clearly")
        page.figure(_margins_figure(agents), _MARGINS_CAPTION)
        page.table(_margin_rows(result))
    page.heading("What the seat is worth")
    page.figure(_seats_figure(result), _seats_caption(result))
    page.table(_seat_rows(result))
    if result["behaviours"]:
        page.heading("What they do")
        page.text(_behaviours_told(result))
        page.table(_behaviour_rows(result), _BEHAVIOURS_CAPTION, dense=True)
    page.heading("Forfeits")
    _forfeits(page, result)
    page.heading("Time to decide")
    page.table(
        _timing_rows(result, made), f"On {made['processor']}, {made['jobs']} at a time; compilation not counted."
    )
    page.heading("Again, and closer")
    _again(page, result, made)
    page.write(path)


# --- Words --------------------------------------------------------------------------------------


def _title(result: dict[str, Any]) -> str:
    agents = [row["agent"] for row in result["agents"]]
    games = f"{result['games']:,} games of {result['game']}"
    return f"{' and '.join(agents)}: {games}" if len(agents) <= 2 else f"{len(agents)} agents, {games}"


def _facts(result: dict[str, Any], made: dict[str, Any]) -> dict[str, Value]:
    rules = ", ".join(f"{name} = {json.dumps(value)}" for name, value in result["rules"].items())
    limit = result["move_limit"]
    return {
        "Game": Cell(result["game"], rules or "default rules"),
        "Agents": len(result["agents"]),
        "Deals": Cell(f"{result['duplicates']:,}", "in every rotation of the seats"),
        "Games": result["games"],
        "Decisions in a game": f"{result['plies'] / result['games']:.1f}",
        "Seed": _seed(result),
        "Limit for a decision": "none" if limit is None else f"{limit:g} s",
        "Experiment": Cell(result["experiment"], f"code {result['code']}"),
        "Finished": made["finished"].replace("T", " ").replace("+00:00", " UTC"),
        "Took": Cell(_seconds(made["seconds"]), _work_done(result, made)),
        "Machine": Cell(made["processor"], f"{made['cores']} cores, {made['system']}"),
        "Made with": Cell(f"bolicho {made['bolicho']}", f"Python {made['python']}, NumPy {made['numpy']}"),
    }


def _seed(result: dict[str, Any]) -> Cell:
    """The seed and where it comes from."""
    seed = result["seed"]
    if is_drawn(seed):
        return Cell(f"0x{as_number(seed):032x}", "drawn for this run: nobody could know the deals")
    if all(row["house"] for row in result["agents"]):
        return Cell(str(seed))
    return Cell(str(seed), "given by hand: who guesses it knows the deals")


def _marks(row: dict[str, Any]) -> str:
    """What must be known of an agent wherever it is named."""
    return ", ".join(word for word, is_so in (("oracle", row["oracle"]), ("learns", row["learns"])) if is_so)


def _names(result: dict[str, Any]) -> dict[str, Cell]:
    """Every agent as the tables name it."""
    return {row["agent"]: Cell(f"**{row['agent']}**", _marks(row)) for row in result["agents"]}


def _label(row: dict[str, Any]) -> str:
    """An agent as the figures name it."""
    return f"{row['agent']} ({_marks(row)})" if _marks(row) else str(row["agent"])


def _work_done(result: dict[str, Any], made: dict[str, Any]) -> str:
    """How many games the time was for, where a run was resumed."""
    at_once = f"{made['jobs']} at a time"
    return at_once if made["played"] == result["games"] else f"{at_once}, for the last {made['played']:,} games"


def headline(result: dict[str, Any]) -> str:
    """What the run says, in a sentence or two: by payoff where games are about more than winning."""
    agents = result["agents"]
    if len(agents) == 1:
        return f"**{agents[0]['agent']}** played against itself."
    best = agents[0]
    rate, payoff = Estimate.read(best["rate"]), Estimate.read(best["payoff"])
    won = f"{_percent(rate)} {_between(rate, _percent_number)}"
    if not _by_payoff(result):
        return f"**{_label(best)}** did best: it won {won} of its games. {_settled(agents, 'rate')}"
    gained = f"{_signed(payoff.value)} {_between(payoff, _signed)}"
    most = max(agents, key=lambda row: row["rate"]["value"])
    lead = f"**{_label(best)}** did best: it gained {gained} a game on average, and won {won} of its games."
    often = (
        ""
        if most is best
        else f" **{_label(most)}** won more often, {_percent(Estimate.read(most['rate']))}, and gained less."
    )
    return f"{lead}{often} {_settled(agents, 'payoff')}"


def _by_payoff(result: dict[str, Any]) -> bool:
    """Whether the games were about more than winning."""
    return bool(result["ranked_by"] == "payoff")


def _settled(agents: Sequence[dict[str, Any]], key: str) -> str:
    """Whether the best is so beyond chance, by its estimate of that name."""
    best, *others = (Estimate.read(row[key]) for row in agents)
    if not all(one.has_interval for one in (best, *others)):
        return "Too few games were played to say how sure that is."
    close = sum(other.high >= best.low for other in others)
    if not close:
        return "Its interval lies above everybody else's."
    whose = "the next one" if close == 1 else f"{close} others"
    return f"Its interval overlaps with {whose}: the games played do not settle who is better."


_RATINGS_CAPTION = (
    "Bradley-Terry ratings by wins on Elo's scale, the average of these agents at 1500; 400 points are odds of ten to "
    "one. "
    "Bars are 95% intervals of the Bayesian bootstrap over deals."
)
_CROSS_CAPTION = (
    "Point at a cell for the 95% interval and the number of games.  Blue is more than half, orange is less."
)
_PAYOFF_CAPTION = "Point at a cell for the 95% interval and the number of games.  Blue is a gain, orange a loss."
_MARGINS_CAPTION = (
    "Mean point difference to the best of the others in the games won and in the games lost, with 95% intervals."
)


def standings_caption(result: dict[str, Any]) -> str:
    """How to read the standings, and by what they are ranked."""
    chance = "" if result["seats"] == 2 else f"  Chance alone is {100 / result['seats']:.1f}%."
    words = f"Intervals hold 95% and take the deal as the unit, since the games of a deal share its cards.{chance}"
    if _by_payoff(result):
        words += "  Ranked by mean payoff, since some games are worth more than others."
    if any(row["oracle"] for row in result["agents"]):
        words += "  An oracle is handed the full state: it measures what that is worth, and is no player."
    if any(row["learns"] for row in result["agents"]):
        words += (
            "  One that learns keeps its memory from deal to deal of a pairing, each seen once, in order: "
            "its games depend on each other, and its intervals do not know that."
        )
    if _is_remote(row["agent"] for row in result["agents"]):
        words += f"  {_REMOTE}"
    return words


_REMOTE = (
    "A remote bot is asked in every rotation of a deal; what its server remembers of one may help it in another, "
    "and the run cannot prevent that."
)


def _is_remote(specs: Iterable[str]) -> bool:
    """Return whether a server that the run does not control decides for one of these agents."""
    return any(map(is_elsewhere, specs))


def _seat_names(result: dict[str, Any]) -> Sequence[str]:
    names = [f"seat {seat}" for seat in range(result["seats"])]
    known = SEAT_NAMES.get(result["game"], ())
    return [f"{name} ({known[seat]})" if seat < len(known) else name for seat, name in enumerate(names)]


def _seats_caption(result: dict[str, Any]) -> str:
    words = "Share of games won from each seat, with 95% intervals."
    if result["game"] in SEAT_NAMES:
        words += "  The name of a seat is what it is in the first hand of a match."
    return words


# --- Numbers ------------------------------------------------------------------------------------


def _percent_number(x: float) -> str:
    return f"{100 * x:.1f}"


def _percent(estimate: Estimate) -> str:
    return "–" if math.isnan(estimate.value) else f"{100 * estimate.value:.1f}%"


def _signed(x: float) -> str:
    return f"{x:+.2f}".replace("-", "−")


def _between(estimate: Estimate, show: Callable[[float], str]) -> str:
    """The interval in brackets, where there is one."""
    return f"[{show(estimate.low)}, {show(estimate.high)}]" if estimate.has_interval else ""


def _estimate(written: Mapping[str, float | None], show: Callable[[float], str], sign: str = "") -> Cell | None:
    found = Estimate.read(written)
    return None if math.isnan(found.value) else Cell(show(found.value) + sign, _between(found, show), order=found.value)


def _count(wins: float) -> str:
    """A number of wins, whole unless some were shared."""
    return f"{wins:,}" if wins == int(wins) else f"{wins:,.1f}"


def _seconds(seconds: float) -> str:
    """A time in the unit that suits it."""
    for size, unit, factor in ((1e-3, "µs", 1e6), (1, "ms", 1e3), (120, "s", 1)):
        if seconds < size:
            return f"{seconds * factor:.3g} {unit}"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


# --- Tables -------------------------------------------------------------------------------------


def standings_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    """The standings, best first."""
    rows = []
    for place, row in enumerate(result["agents"], 1):
        shown: dict[str, Value] = {
            "#": place,
            "agent": _names(result)[row["agent"]],
            **({"mean payoff": _estimate(row["payoff"], _signed)} if _by_payoff(result) else {}),
            "games": row["games"],
            "wins": Cell(_count(row["wins"]), order=row["wins"]),
            "won": _estimate(row["rate"], _percent_number, "%"),
            "rating": _estimate(row["rating"], lambda x: f"{x:.0f}"),
        }
        if result["num_forfeits"]:
            shown["forfeits"] = row["forfeits"]
        rows.append(shown)
    return rows


def standings_html(result: dict[str, Any]) -> str:
    """The standings and who beat whom, as tables for a notebook."""
    page = Page("")
    page.table(standings_rows(result), f"{_title(result)}, {result['duplicates']:,} deals a pairing")
    page.table(_cross_rows(result), "Won against each of the others, in per cent", dense=True)
    return page.body()


def _cross_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    games = {frozenset((pair["agent"], pair["against"])): pair["games"] for pair in result["pairs"]}
    cells = {pair: _cross_cell(*pair, rate, games[frozenset(pair)]) for pair, rate in pair_rates(result).items()}
    return _matrix(result, cells)


def _payoff_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    told = {}
    for pair in result["pairs"]:
        told[pair["agent"], pair["against"]] = Estimate.read(pair["payoff"]), pair["games"]
        told[pair["against"], pair["agent"]] = Estimate.read(pair["payoff_against"]), pair["games"]
    told = {pair: found for pair, found in told.items() if not math.isnan(found[0].value)}
    most = max((abs(payoff.value) for payoff, _ in told.values()), default=0) or 1
    cells = {}
    for (one, other), (payoff, games) in told.items():
        shown = _signed(payoff.value)
        title = f"{one} with {other}: {shown} {_between(payoff, _signed)} in {games:,} games"
        cells[one, other] = Cell(shown, heat=payoff.value / most, title=title, order=payoff.value)
    return _matrix(result, cells)


def _matrix(result: dict[str, Any], cells: dict[tuple[str, str], Cell]) -> list[dict[str, Value]]:
    """A row and a column for each agent, in the order of the standings."""
    names = [row["agent"] for row in result["agents"]]
    rows: list[dict[str, Value]] = []
    for place, name in enumerate(names, 1):
        row: dict[str, Value] = {"#": place, "agent": _names(result)[name]}
        for column, other in enumerate(names, 1):
            row[str(column)] = cells.get((name, other), Cell("·", order=0.5))
        rows.append(row)
    return rows


def _cross_cell(one: str, other: str, rate: Estimate, games: int) -> Cell:
    value = rate.value
    title = f"{one} against {other}: {_percent(rate)} {_between(rate, _percent_number)} of {games:,} games"
    heat = math.copysign(abs(2 * value - 1) ** 0.75, value - 0.5)  # small differences should be seen
    return Cell(f"{100 * value:.0f}", heat=heat, title=title, order=value)


def _margin_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    return [
        {
            "agent": _names(result)[row["agent"]],
            "in wins": _estimate(row["in_wins"], _signed),
            "in losses": _estimate(row["in_losses"], _signed),
        }
        for row in result["agents"]
    ]


def _seat_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    rows = []
    for row in result["agents"]:
        shown: dict[str, Value] = {"agent": _names(result)[row["agent"]]}
        for name, seat in zip(_seat_names(result), row["seats"], strict=True):
            shown[f"won from {name}"] = _estimate(seat["rate"], _percent_number, "%")
        first, wins = row["seats"][0]["wins"], row["wins"]
        if result["seats"] == 2:  # the figure that studies of Truco give
            shown[f"of its wins from {_seat_names(result)[0]}"] = (
                Cell(f"{100 * first / wins:.1f}%", f"{_count(first)} of {_count(wins)}", order=first / wins)
                if wins
                else None
            )
        rows.append(shown)
    return rows


def _behaviour_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    """A row for each agent, a column for each behaviour; who never had the chance has no share."""
    rows = []
    for agent in result["agents"]:
        row: dict[str, Value] = {"agent": _names(result)[agent["agent"]]}
        for behaviour in result["behaviours"]:
            did = behaviour["agents"][agent["agent"]]
            share = Estimate.read(did["share"])
            counted = f"{did['times']:,} of {did['chances']:,}"
            title = f"{agent['agent']} {behaviour['name']}: {_percent(share)} {_between(share, _percent_number)}"
            row[behaviour["name"]] = (
                Cell(_percent(share), counted, title=title, order=share.value) if did["chances"] else None
            )
        rows.append(row)
    return rows


def _behaviours_told(result: dict[str, Any]) -> str:
    """What each share is of."""
    return "Shares: " + "; ".join(f"**{each['name']}**, of {each['of']}" for each in result["behaviours"]) + "."


_BEHAVIOURS_CAPTION = "Counted in all games, by replaying them.  Point at a cell for the 95% interval."


def _timing_rows(result: dict[str, Any], made: dict[str, Any]) -> list[dict[str, Value]]:
    ordered = sorted(made["timing"], key=lambda row: -row["mean"])
    return [
        {
            "agent": _names(result)[row["agent"]],
            "decisions": row["decisions"],
            "mean": Cell(_seconds(row["mean"]), order=row["mean"]),
            "slowest": Cell(_seconds(row["slowest"]), order=row["slowest"]),
        }
        for row in ordered
    ]


def _forfeits(page: Page, result: dict[str, Any]) -> None:
    total, listed = result["num_forfeits"], result["forfeits"]
    if not total:
        page.text("None: every game was played to its end.")
        return
    page.text(
        f"{total:,} of {result['games']:,} games were lost by an agent that broke.  They count as defeats in the "
        "standings, cost who forfeits the lowest payoff of the run, and are left out of the others' payoffs and of "
        "point differences."
    )
    rows: list[dict[str, Value]] = [
        {"row": row["row"], "agent": _names(result)[row["agent"]], "seat": row["seat"], "reason": row["reason"]}
        for row in listed
    ]
    page.table(rows, f"The first {len(listed)}." if total > len(listed) else "")


def _again(page: Page, result: dict[str, Any], made: dict[str, Any]) -> None:
    limited = "" if result["move_limit"] is None else ", unless somebody is at the edge of the time limit"
    page.text(
        f"The run again, in a new folder; `games.parquet` and `result.json` come out the same, byte for byte{limited}:"
    )
    page.code(made["command"])
    page.text("Any game, move by move, by its row:")
    page.code("bolicho replay FOLDER --row 0")
    page.text("All games as a table, with SQL:")
    page.code("import duckdb\n\nduckdb.sql(\"SELECT agents, avg(plies) FROM 'games.parquet' GROUP BY agents\").show()")


# --- Figures ------------------------------------------------------------------------------------


def _rows_figure(names: Sequence[str], height: float = 0.34) -> tuple[Figure, Any]:
    """A figure with one line per agent, the first on top."""
    figure = Figure(figsize=(WIDTH, 0.9 + height * len(names)))
    axes = figure.add_subplot()
    axes.set_yticks(range(len(names)), [_plain(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0, pad=6)
    return figure, axes


def _plain(name: str) -> str:
    """A name as matplotlib must not read it: a dollar is a dollar, and a long one is cut."""
    name = name if len(name) <= 44 else name[:43] + "…"
    return re.sub(r"([$\\])", r"\\\1", name)


def _interval(axes: Any, written: Mapping[str, float | None], y: float, colour: str, **how: Any) -> None:
    """A dot with its interval."""
    found = Estimate.read(written)
    if math.isnan(found.value):
        return
    if found.has_interval:
        axes.plot([found.low, found.high], [y, y], color=colour, linewidth=2.4, alpha=0.55)
    axes.plot([found.value], [y], "o", color=colour, markersize=7.5, markeredgecolor=PAPER, markeredgewidth=1.4, **how)


def _ratings_figure(agents: Sequence[dict[str, Any]]) -> Figure:
    with plot_style():
        figure, axes = _rows_figure([_label(row) for row in agents])
        axes.axvline(1500, color=SOFT, linewidth=1, linestyle=(0, (2, 3)))
        for y, row in enumerate(agents):
            _interval(axes, row["rating"], y, ACCENT)
        axes.set_xlabel("rating")
    return figure


def _margins_figure(agents: Sequence[dict[str, Any]]) -> Figure:
    with plot_style():
        figure, axes = _rows_figure([_label(row) for row in agents])
        for y, row in enumerate(agents):
            for key, colour in (("in_wins", WIN), ("in_losses", LOSE)):
                _bar(axes, row[key], y, colour)
        axes.axvline(0, color=INK, linewidth=1)
        axes.set_xlabel("points behind in losses, ahead in wins")
    return figure


def _bar(axes: Any, written: Mapping[str, float | None], y: float, colour: str) -> None:
    found = Estimate.read(written)
    if math.isnan(found.value):
        return
    axes.barh(y, found.value, height=0.56, color=colour)
    if found.has_interval:
        axes.plot([found.low, found.high], [y, y], color=INK, linewidth=1.4)


def _seats_figure(result: dict[str, Any]) -> Figure:
    agents, names = result["agents"], _seat_names(result)
    with plot_style():
        figure, axes = _rows_figure([_label(row) for row in agents], height=0.4)
        axes.axvline(1 / result["seats"], color=SOFT, linewidth=1, linestyle=(0, (2, 3)))
        spread = 0.5 / len(names)
        for y, row in enumerate(agents):
            values = [seat["rate"]["value"] for seat in row["seats"]]
            axes.plot([min(values), max(values)], [y, y], color=LINE, linewidth=5, zorder=0.9)
            for number, seat in enumerate(row["seats"]):
                offset = (number - (len(names) - 1) / 2) * spread
                label = {"label": names[number]} if y == 0 else {}
                _interval(axes, seat["rate"], y + offset, SERIES[number % len(SERIES)], **label)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f}%")
        axes.set_xlabel("games won")
        figure.legend(loc="outside upper right", ncols=len(names), handletextpad=0.2)
    return figure


# --- The terminal -------------------------------------------------------------------------------


def show(run: "Run", console: Console | None = None) -> None:
    """Print the standings of a run and where its page is."""
    console = console or Console()
    result = run.result
    each = {row["games"] for row in result["agents"]}
    title = f"{_title(result)}, {each.pop():,} each" if len(result["agents"]) > 2 and len(each) == 1 else _title(result)
    rows = standings_rows(result)
    left_out = {"games"} if console.width >= _ROOMY else {"games", "wins", *(["rating"] if _by_payoff(result) else [])}
    if console.width < _NARROW:
        left_out |= {"rating", "forfeits"}
    names = [name for name in rows[0] if name not in left_out]
    table = RichTable(
        title=escape(title), title_justify="left", title_style="bold", header_style="dim", box=SIMPLE_HEAD
    )
    for name in names:
        if name == "agent":
            table.add_column(name, overflow="fold", min_width=10)
        else:
            table.add_column(name, justify="right", no_wrap=True, min_width=len(str(len(rows))))
    for row in rows:
        table.add_row(*(_rich(row[name]) for name in names))
    console.print(table)
    console.print(_without_stars(headline(result)), highlight=False, markup=False)
    if _by_payoff(result):
        console.print("[dim]ranked by mean payoff, since some games are worth more than others[/dim]", highlight=False)
    if _is_remote(row["agent"] for row in result["agents"]):
        console.print(f"[dim]{_REMOTE}[/dim]", highlight=False)
    console.print(f"[dim]95% intervals; the page is[/dim] {escape(str(run.folder / 'index.html'))}", highlight=False)


def match_lines(answer: dict[str, Any]) -> list[str]:
    """A match for the terminal."""
    agent, against, bounds = answer["agent"], answer["against"], answer["bounds"]
    told = {"pairs": f"{answer['pairs']:,} of {answer['most']:,} at most, {answer['games']:,} games"}
    if len(answer["counts"]) <= _COUNTS_TOLD:
        told["won of a pair"] = ", ".join(f"{share}: {count:,}" for share, count in answer["counts"].items())
    if "elo" in answer:
        told["Elo"] = _with_interval(answer["elo"], lambda x: f"{x:+.1f}")
        told["won"] = _with_interval(answer["share"], _percent_number, "%")
    if "payoff" in answer:
        told["mean payoff"] = _with_interval(answer["payoff"], lambda x: f"{x:+.4f}")
    told["superiority"] = f"{100 * answer['superiority']:.1f}% likely"
    if bounds is not None:
        lower, upper = bounds["limits"]
        errors = f"alpha {bounds['alpha']:g}, beta {bounds['beta']:g}"
        told["LLR"] = f"{answer['llr']:+.2f} of {lower:+.2f} to {upper:+.2f}; {errors}"
        told["verdict"] = _verdict(answer)
    if first := answer["first_forfeit"]:
        told["forfeits"] = f"{answer['forfeits'][0]:,} of {agent}, {answer['forfeits'][1]:,} of {against}"
        place = f"deal {first['deal']}, rotation {first['rotation']}, seat {first['seat']}"
        told["first forfeit"] = f"{first['agent']} at {place}: {first['reason']}"
    if answer["ended"] == "forfeits":
        told["ended"] = f"{first['agent']} forfeited each of the first {answer['games']} games; no more were played"
    if answer["stakes"] and answer["by"] == "elo":
        told["stakes"] = "some games are worth more than others, and Elo counts wins alone: see --payoff1"
    if _is_remote([agent, against]):
        told["note"] = _REMOTE
    wide = max(map(len, told))
    return [
        f"{agent} against {against}, {answer['game']}",
        *(f"  {name:{wide}}  {text}" for name, text in told.items()),
    ]


_COUNTS_TOLD = 5


def _verdict(answer: dict[str, Any]) -> str:
    unit = "Elo" if answer["by"] == "elo" else "payoff"
    low, high = (f"{answer['bounds'][name]:+g}" for name in ("low", "high"))
    if answer["ended"] == "forfeits":
        return "none: games that one agent always forfeits test nothing"
    if answer["verdict"] is None:
        return f"none: these pairs do not decide between {low} and {high} {unit}"
    kept, other = (high, low) if answer["verdict"] == "H1" else (low, high)
    return f"{answer['verdict']} accepted: {kept} {unit} rather than {other}"


def _with_interval(written: Mapping[str, float | None], show: Callable[[float], str], sign: str = "") -> str:
    """A number and its interval as text; what is beyond all numbers is told as such."""
    value, low, high = (written[name] for name in ("value", "low", "high"))
    shown = "beyond measure" if value is None else show(value) + sign
    between = ", ".join("unbounded" if x is None else show(x) for x in (low, high))
    return f"{shown} [{between}]"


_ROOMY = 100  # columns of a terminal that has room for everything
_NARROW = 60  # with fewer there is room for place, name and what was won; the page has the rest


def _without_stars(text: str) -> str:
    """Words for the page as the terminal shows them."""
    return re.sub(r"\*\*(.*?)\*\*", r"\1", text)


def _rich(value: Value) -> str:
    """A cell for the terminal."""
    if isinstance(value, Cell):
        text = _without_stars(value.text)
        detail = f" [dim]{escape(value.detail)}[/dim]" if value.detail else ""
        return escape(text) + detail
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
