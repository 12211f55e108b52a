"""Tables of a run's result, as text and cells: standings, pairs, margins, seats, behaviours, times."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bolicho.agents.registry import is_elsewhere
from bolicho.arena.html_page import Page, TableCell, Value
from bolicho.arena.seeds import as_number, is_drawn
from bolicho.arena.summary import pair_rates
from bolicho.games import kind
from bolicho.stats import Estimate

# --- Sentences ----------------------------------------------------------------------------------


def run_title(result: dict[str, Any]) -> str:
    """Return the title of a run."""
    agents = [row["agent"] for row in result["agents"]]
    games = f"{result['games']:,} games of {result['game']}"
    return f"{' and '.join(agents)}: {games}" if len(agents) <= 2 else f"{len(agents)} agents, {games}"


def facts(result: dict[str, Any], made: dict[str, Any]) -> dict[str, Value]:
    """Return facts about a run, for the head of its page."""
    rules = ", ".join(f"{name} = {json.dumps(value)}" for name, value in result["rules"].items())
    limit = result["move_limit"]
    return {
        "Game": TableCell(result["game"], rules or "default rules"),
        "Agents": len(result["agents"]),
        "Deals": TableCell(f"{result['duplicates']:,}", "in every rotation of the seats"),
        "Games": result["games"],
        "Decisions in a game": f"{result['plies'] / result['games']:.1f}",
        "Seed": _seed(result),
        "Limit for a decision": "none" if limit is None else f"{limit:g} s",
        "Experiment": TableCell(result["experiment"], f"code {result['code']}"),
        "Finished": made["finished"].replace("T", " ").replace("+00:00", " UTC"),
        "Took": TableCell(_seconds(made["seconds"]), _work_done(result, made)),
        "Machine": TableCell(made["processor"], f"{made['cores']} cores, {made['system']}"),
        "Made with": TableCell(f"bolicho {made['bolicho']}", f"Python {made['python']}, NumPy {made['numpy']}"),
    }


def _seed(result: dict[str, Any]) -> TableCell:
    """Return the seed and its origin."""
    seed = result["seed"]
    if is_drawn(seed):
        return TableCell(f"0x{as_number(seed):032x}", "drawn for this run: the deals could not be predicted")
    if all(row.get("built_in", row.get("house")) for row in result["agents"]):  # version 0.3 wrote `house`
        return TableCell(str(seed))
    return TableCell(str(seed), "given by hand: it may be guessed, and the deals computed from it")


def _marks(row: dict[str, Any]) -> str:
    """Return the traits that every mention of an agent shows."""
    return ", ".join(word for word, is_so in (("oracle", row["oracle"]), ("learns", row["learns"])) if is_so)


def agent_cells(result: dict[str, Any]) -> dict[str, TableCell]:
    """Return the cell of each agent in tables."""
    return {row["agent"]: TableCell(f"**{row['agent']}**", _marks(row)) for row in result["agents"]}


def label(row: dict[str, Any]) -> str:
    """Return the label of an agent in figures."""
    return f"{row['agent']} ({_marks(row)})" if _marks(row) else str(row["agent"])


def _work_done(result: dict[str, Any], made: dict[str, Any]) -> str:
    """Return the number of processes and, for a resumed run, the number of games that the time covers."""
    at_once = f"{made['jobs']} at a time"
    return at_once if made["played"] == result["games"] else f"{at_once}, for the last {made['played']:,} games"


def headline(result: dict[str, Any]) -> str:
    """Return the result in one or two sentences: by payoff if games differ in their stakes."""
    agents = result["agents"]
    if len(agents) == 1:
        return f"**{agents[0]['agent']}** played against itself."
    best = agents[0]
    rate, payoff = Estimate.read(best["rate"]), Estimate.read(best["payoff"])
    won = f"{_percent(rate)} {_between(rate, percent_number)}"
    if not is_by_payoff(result):
        return f"**{label(best)}** did best: it won {won} of its games. {_overlap(agents, 'rate')}"
    gained = f"{_signed(payoff.value)} {_between(payoff, _signed)}"
    most = max(agents, key=lambda row: row["rate"]["value"])
    lead = f"**{label(best)}** did best: it gained {gained} a game on average, and won {won} of its games."
    often = (
        ""
        if most is best
        else f" **{label(most)}** won more often, {_percent(Estimate.read(most['rate']))}, and gained less."
    )
    return f"{lead}{often} {_overlap(agents, 'payoff')}"


def is_by_payoff(result: dict[str, Any]) -> bool:
    """Return whether the ranking is by payoff."""
    return bool(result["ranked_by"] == "payoff")


def _overlap(agents: Sequence[dict[str, Any]], key: str) -> str:
    """Return a sentence on whether the interval of the best agent's estimate `key` overlaps with others."""
    best, *others = (Estimate.read(row[key]) for row in agents)
    if not all(one.has_interval for one in (best, *others)):
        return "Too few games were played to say how sure that is."
    close = sum(other.high >= best.low for other in others)
    if not close:
        return "Its interval lies above all others."
    whose = "the next one" if close == 1 else f"{close} others"
    return f"Its interval overlaps with {whose}: the games played do not settle who is better."


RATINGS_CAPTION = (
    "Bradley-Terry ratings by wins on Elo's scale, the average of these agents at 1500; 400 points are odds of ten to "
    "one. "
    "Bars are 95% intervals of the Bayesian bootstrap over deals."
)
CROSS_CAPTION = "Point at a cell for the 95% interval and the number of games.  Blue is more than half, orange is less."
PAYOFF_CAPTION = "Point at a cell for the 95% interval and the number of games.  Blue is a gain, orange a loss."
MARGINS_CAPTION = (
    "Mean point difference to the best of the others in the games won and in the games lost, with 95% intervals."
)


def standings_caption(result: dict[str, Any]) -> str:
    """Return the caption of the standings: how to read them, and the order of the ranking."""
    chance = "" if result["seats"] == 2 else f"  Chance alone is {100 / result['seats']:.1f}%."
    words = f"Intervals hold 95% and take the deal as the unit, since the games of a deal share its cards.{chance}"
    if is_by_payoff(result):
        words += "  Ranked by mean payoff, since some games are worth more than others."
    if any(row["oracle"] for row in result["agents"]):
        words += "  An oracle is handed the full state: it measures what that is worth, and is no player."
    if any(row["learns"] for row in result["agents"]):
        words += (
            "  One that learns keeps its memory from deal to deal of a pairing, each seen once, in order: "
            "its games depend on each other, and its intervals do not know that."
        )
    if is_remote(row["agent"] for row in result["agents"]):
        words += f"  {REMOTE}"
    return words


REMOTE = (
    "A remote bot is asked in every rotation of a deal; what its server remembers of one may help it in another, "
    "and the run cannot prevent that."
)


def is_remote(specs: Iterable[str]) -> bool:
    """Return whether an external server decides for one of these agents."""
    return any(map(is_elsewhere, specs))


def seat_names(result: dict[str, Any]) -> Sequence[str]:
    """Return the names of the game's seats."""
    names = [f"seat {seat}" for seat in range(result["seats"])]
    known = kind(result["game"]).seat_names
    return [f"{name} ({known[seat]})" if seat < len(known) else name for seat, name in enumerate(names)]


def seats_caption(result: dict[str, Any]) -> str:
    """Return the caption of the figure of seats."""
    words = "Share of games won from each seat, with 95% intervals."
    if kind(result["game"]).seat_names:
        words += "  The name of a seat is what it is in the first hand of a match."
    return words


# --- Numbers ------------------------------------------------------------------------------------


def percent_number(x: float) -> str:
    """Return a share in percent, without the percent sign."""
    return f"{100 * x:.1f}"


def _percent(estimate: Estimate) -> str:
    return "–" if math.isnan(estimate.value) else f"{100 * estimate.value:.1f}%"


def _signed(x: float) -> str:
    return f"{x:+.2f}".replace("-", "−")


def _between(estimate: Estimate, show: Callable[[float], str]) -> str:
    """Return the interval in brackets, or nothing if there is none."""
    return f"[{show(estimate.low)}, {show(estimate.high)}]" if estimate.has_interval else ""


def _estimate(written: Mapping[str, float | None], show: Callable[[float], str], sign: str = "") -> TableCell | None:
    found = Estimate.read(written)
    return (
        None
        if math.isnan(found.value)
        else TableCell(show(found.value) + sign, _between(found, show), order=found.value)
    )


def _count(wins: float) -> str:
    """Return a number of wins, without decimals unless ties were shared."""
    return f"{wins:,}" if wins == int(wins) else f"{wins:,.1f}"


def _seconds(seconds: float) -> str:
    """Return a time in a unit of its size."""
    for size, unit, factor in ((1e-3, "µs", 1e6), (1, "ms", 1e3), (120, "s", 1)):
        if seconds < size:
            return f"{seconds * factor:.3g} {unit}"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


# --- Tables -------------------------------------------------------------------------------------


def standings_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    """Return the rows of the standings, best first."""
    rows = []
    for place, row in enumerate(result["agents"], 1):
        shown: dict[str, Value] = {
            "#": place,
            "agent": agent_cells(result)[row["agent"]],
            **({"mean payoff": _estimate(row["payoff"], _signed)} if is_by_payoff(result) else {}),
            "games": row["games"],
            "wins": TableCell(_count(row["wins"]), order=row["wins"]),
            "won": _estimate(row["rate"], percent_number, "%"),
            "rating": _estimate(row["rating"], lambda x: f"{x:.0f}"),
        }
        if result["num_forfeits"]:
            shown["forfeits"] = row["forfeits"]
        rows.append(shown)
    return rows


def standings_html(result: dict[str, Any]) -> str:
    """Return the standings and the win rates of pairs, as tables for a notebook."""
    page = Page("")
    page.table(standings_rows(result), f"{run_title(result)}, {result['duplicates']:,} deals a pairing")
    page.table(cross_rows(result), "Won against each of the others, in per cent", dense=True)
    return page.body()


def cross_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    """Return the win rates of each agent against each other."""
    games = {frozenset((pair["agent"], pair["against"])): pair["games"] for pair in result["pairs"]}
    cells = {pair: _cross_cell(*pair, rate, games[frozenset(pair)]) for pair, rate in pair_rates(result).items()}
    return _matrix(result, cells)


def payoff_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    """Return the mean payoffs of each agent against each other."""
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
        cells[one, other] = TableCell(shown, heat=payoff.value / most, title=title, order=payoff.value)
    return _matrix(result, cells)


def _matrix(result: dict[str, Any], cells: dict[tuple[str, str], TableCell]) -> list[dict[str, Value]]:
    """Return a row and a column for each agent, in the order of the standings."""
    names = [row["agent"] for row in result["agents"]]
    rows: list[dict[str, Value]] = []
    for place, name in enumerate(names, 1):
        row: dict[str, Value] = {"#": place, "agent": agent_cells(result)[name]}
        for column, other in enumerate(names, 1):
            row[str(column)] = cells.get((name, other), TableCell("·", order=0.5))
        rows.append(row)
    return rows


def _cross_cell(one: str, other: str, rate: Estimate, games: int) -> TableCell:
    value = rate.value
    title = f"{one} against {other}: {_percent(rate)} {_between(rate, percent_number)} of {games:,} games"
    heat = math.copysign(abs(2 * value - 1) ** 0.75, value - 0.5)  # make small differences visible
    return TableCell(f"{100 * value:.0f}", heat=heat, title=title, order=value)


def margin_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    """Return the margins of wins and losses by agent."""
    return [
        {
            "agent": agent_cells(result)[row["agent"]],
            "in wins": _estimate(row["in_wins"], _signed),
            "in losses": _estimate(row["in_losses"], _signed),
        }
        for row in result["agents"]
    ]


def seat_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    """Return the win rates by agent and seat."""
    rows = []
    for row in result["agents"]:
        shown: dict[str, Value] = {"agent": agent_cells(result)[row["agent"]]}
        for name, seat in zip(seat_names(result), row["seats"], strict=True):
            shown[f"won from {name}"] = _estimate(seat["rate"], percent_number, "%")
        first, wins = row["seats"][0]["wins"], row["wins"]
        if result["seats"] == 2:  # studies of Truco report this number
            shown[f"of its wins from {seat_names(result)[0]}"] = (
                TableCell(f"{100 * first / wins:.1f}%", f"{_count(first)} of {_count(wins)}", order=first / wins)
                if wins
                else None
            )
        rows.append(shown)
    return rows


def behaviour_rows(result: dict[str, Any]) -> list[dict[str, Value]]:
    """Return a row for each agent and a column for each behaviour; without chances there is no share."""
    rows = []
    for agent in result["agents"]:
        row: dict[str, Value] = {"agent": agent_cells(result)[agent["agent"]]}
        for behaviour in result["behaviours"]:
            did = behaviour["agents"][agent["agent"]]
            share = Estimate.read(did["share"])
            counted = f"{did['times']:,} of {did['chances']:,}"
            title = f"{agent['agent']} {behaviour['name']}: {_percent(share)} {_between(share, percent_number)}"
            row[behaviour["name"]] = (
                TableCell(_percent(share), counted, title=title, order=share.value) if did["chances"] else None
            )
        rows.append(row)
    return rows


def behaviours_told(result: dict[str, Any]) -> str:
    """Return the denominators of the shares."""
    return "Shares: " + "; ".join(f"**{each['name']}**, of {each['of']}" for each in result["behaviours"]) + "."


BEHAVIOURS_CAPTION = "Counted in all games, by replaying them.  Point at a cell for the 95% interval."


def timing_rows(result: dict[str, Any], made: dict[str, Any]) -> list[dict[str, Value]]:
    """Return the times of decisions by agent."""
    ordered = sorted(made["timing"], key=lambda row: -row["mean"])
    return [
        {
            "agent": agent_cells(result)[row["agent"]],
            "decisions": row["decisions"],
            "mean": TableCell(_seconds(row["mean"]), order=row["mean"]),
            "slowest": TableCell(_seconds(row["slowest"]), order=row["slowest"]),
        }
        for row in ordered
    ]
