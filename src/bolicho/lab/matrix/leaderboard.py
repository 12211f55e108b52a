"""Tables of the leaderboard, from the results of the study alone: all agents, and the best of each game."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from bolicho.files import write_text_atomic
from bolicho.lab.matrix.cells import GAMES, TECHNIQUES
from bolicho.stats import Estimate

Facts = dict[str, Any]

HERE = Path(__file__).parent
FOUND = "matrix.json"
BEGIN, END = "<!-- best -->", "<!-- /best -->"  # markers around the best agents in pages
PAGES = {"README.md": "en", "README.pt.md": "pt", "docs/leaderboard.md": "en"}
"""Pages with the best agents, by language."""

PORTUGUESE = {
    "game": "jogo", "best": "melhor", "technique": "técnica", "rating": "pontuação", "dominoes": "dominó",
    "won of all games": "vitórias em todas as partidas", "did better than the second": "foi melhor que o segundo",
    "all fives": "dominó de cinco", "made for this game": "feita para este jogo", "rules": "regras",
    "Monte Carlo trees": "árvores de Monte Carlo", "sampled worlds": "mundos sorteados", "imitation": "imitação",
    "search that infers": "busca que infere", "policy gradient": "gradiente de política",
    "case-based": "baseada em casos", "regret minimisation": "minimização de arrependimento",
}  # fmt: skip


def minutes(row: Facts) -> str:
    """Format the CPU minutes of a training."""
    if not row["files"]:
        return "-"
    return "not noted" if row["cpu_seconds"] is None else f"{row['cpu_seconds'] / 60:.1f}"


def size(row: Facts) -> str:
    """Format the total size of an agent's files."""
    return f"{row['size'] / 1000:,.0f} kB" if row["files"] else "-"


def whole(written: Facts, places: int = 0, percent: bool = False) -> str:
    """Format a number with its interval."""
    found, factor, sign = Estimate.read(written), 100 if percent else 1, "%" if percent else ""
    text = f"{factor * found.value:.{places}f}{sign}"
    if found.has_interval:
        text += f" [{factor * found.low:.{places}f}, {factor * found.high:.{places}f}]"
    return text


def shipped() -> Facts:
    """Return the results that ship."""
    content: Facts = json.loads((HERE / FOUND).read_text())
    return content


def tables(content: Facts) -> str:
    """Return the tables of techniques, of every game and of trainings, as sections of a page."""
    page = [
        "## Techniques by game",
        matrix(content),
        *(part for game in GAMES for part in of_game(game, content["games"][game])),
        "## Absent techniques",
        _rows(["technique", "game", "reason"], [[name, GAMES[game], why] for name, game, why in content["absent"]]),
        "## Trainings",
        "Processor time is that of the learning curve beside the artifact; artifacts of earlier versions have none.",
        trainings(content),
    ]
    return "\n\n".join(page) + "\n"


def games_a_pair(found: Facts) -> int:
    """Return how many games any two agents of a tournament played at one table; all pairs met equally often."""
    games: int = found["rows"][0]["games"] * (found["seats"] - 1) // (len(found["rows"]) - 1)
    return games


def best(content: Facts, language: str = "en") -> str:
    """Return a table of the best agent of each game, and how it was measured."""
    rows = [["game", "best", "technique", "rating", "won of all games", "did better than the second"]]
    for game in GAMES:
        first, second = content["games"][game]["rows"][:2]
        met = {row["agent"]: row["rate"] for row in content["games"][game]["best"]}
        rows.append(
            [
                GAMES[game],
                f"`{first['agent']}`",
                first["technique"] or "made for this game",
                whole(first["rating"]),
                whole(first["rate"], 1, percent=True),
                f"{whole(met[second['agent']], 1, percent=True)} against `{second['agent']}`",
            ]
        )
    made = f"Version {content['version']}, seed {content['seed']}, {content['machine']}."
    if language == "pt":
        rows = [[_in_portuguese(cell) for cell in row] for row in rows]
        made = made.replace("Version", "Versão").replace("seed", "semente").replace(" cores", " núcleos")
    return f"{_rows(rows[0], rows[1:])}\n\n{made}"


def _in_portuguese(cell: str) -> str:
    if cell in PORTUGUESE:
        return PORTUGUESE[cell]
    decimals = re.sub(r"(?<=\d)\.(?=\d)", ",", cell)
    return re.sub(r"\[(\S+), (\S+)\]", r"[\1; \2]", decimals).replace(" against ", " contra ")


def matrix(content: Facts) -> str:
    """Return a table of ratings by technique and game."""
    by_cell = {
        (row["technique"], game): f"{row['rating']['value']:.0f} `{row['agent'].partition('(')[0]}`"
        for game in GAMES
        for row in content["games"][game]["rows"]
    }
    rows = [[name, *(by_cell.get((name, game), "-") for game in GAMES)] for name in TECHNIQUES]
    return _rows(["", *GAMES.values()], rows)


def of_game(game: str, found: Facts) -> list[str]:
    """Return the section of a game: all agents by rank, and the best against each other agent."""
    rows = [
        [
            str(place),
            f"`{row['agent']}`",
            row["technique"] or "-",
            whole(row["rating"]),
            whole(row["payoff"], 3),
            whole(row["rate"], 1, percent=True),
            f"{1000 * row['seconds']:.3f}",
            minutes(row),
            size(row),
        ]
        for place, row in enumerate(found["rows"], 1)
    ]
    columns = ["", "agent", "technique", "rating", "payoff", "won", "ms a decision", "CPU minutes", "size"]
    first = found["rows"][0]["agent"]
    met = ", ".join(f"{whole(row['rate'], 1, percent=True)} `{row['agent']}`" for row in found["best"])
    by = "mean payoff, since some games are worth more than others" if found["ranked_by"] == "payoff" else "games won"
    return [
        f"## {GAMES[game][0].upper()}{GAMES[game][1:]}",
        f"{found['games']:,} games, {found['deals']} deals a table, each once in every seat; ranked by {by}.",
        _rows(columns, rows),
        f"`{first}` did better than each of the others in so many of the games in which both sat: {met}.",
    ]


def trainings(content: Facts) -> str:
    """Return a table of all artifacts that agents play from, with the commands that make them."""
    made = {}
    for game in GAMES:
        for row in content["games"][game]["rows"]:
            for file, command in zip(row["files"], row["commands"], strict=True):
                made[file] = [f"`{file}`", f"`{command}`", minutes(row), size(row)]
    return _rows(["file", "command", "CPU minutes", "size"], [made[file] for file in sorted(made)])


def _rows(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def ship(report: Path | str, root: Path | str = HERE.parents[3]) -> None:
    """Copy the results of a study into the repository: data beside this file, image in `docs/`, best agents in
    `PAGES`."""
    report, root = Path(report), Path(root)
    write_text_atomic(HERE / FOUND, (report / FOUND).read_text())
    shutil.copy(report / "matrix.png", root / "docs" / "images" / "matrix.png")
    for page, language in PAGES.items():
        write_text_atomic(root / page, with_best((root / page).read_text(), best(shipped(), language)))


def with_best(page: str, table: str) -> str:
    """Return a page with another table of the best agents."""
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{table}\n{END}", page, flags=re.DOTALL)
