"""Demonstration: a small tournament of every game, and one page with links to all reports."""

from collections.abc import Callable
from pathlib import Path

from bolicho.arena.experiment import Experiment
from bolicho.arena.html_page import Page
from bolicho.arena.run import Run, run
from bolicho.arena.standings import headline, standings_caption, standings_rows
from bolicho.arena.warm import warm
from bolicho.games import BUILT_IN, game, kind

AGENTS = {
    "truco": ("random", "novice", "cautious", "aggressive", "bluffer", "balanced"),
    "dominoes": ("random", "rule", "sarsa", "pimc(worlds=10)", "pi"),
    "fives": ("random", "rule", "sarsa", "pimc(worlds=5)"),
    "wonders": ("random", "rules", "neural-plus", "dqn-plus"),
}
"""Agents of the demonstration, by game; a game without an entry is played by the random agent."""

EXAMPLE_SEED = 7


def run_demo(folder: Path, duplicates: int, tell: Callable[[Run], None]) -> Path:
    """Play the tournaments, or continue them, write the page and return its path.

    Each game is compiled once before its tournament, since two workers that start together would both compile it.
    """
    page = Page("Bolicho: a first look", "A small duplicate tournament of every game there is.")
    for name in BUILT_IN:
        agents = AGENTS.get(name, ("random",))
        warm({name: agents}, explained=False)
        finished = run(Experiment(name, agents, duplicates=duplicates, seed=1), folder / name, None)
        tell(finished)
        page.heading(kind(name).title)
        page.svg(
            game(name).deal(EXAMPLE_SEED).view(0).svg(), f"What seat 0 sees at the start of the deal {EXAMPLE_SEED}."
        )
        page.text(headline(finished.result))
        page.table(standings_rows(finished.result), standings_caption(finished.result))
        page.link(f"{name}/index.html", f"The whole report on {name}: cross table, ratings, seats, forfeits, times")
    index = folder / "index.html"
    page.write(index)
    return index
