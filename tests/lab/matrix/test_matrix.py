"""The matrix: its cells, what the study writes, and the leaderboard that ships."""

import json
import re
from pathlib import Path

import pytest

import bolicho
from bolicho.agents.registry import find
from bolicho.agents.spec import parse_spec
from bolicho.agents.technique import Absent
from bolicho.agents.training import find as find_training
from bolicho.arena.pairing import pairings
from bolicho.lab.matrix import play
from bolicho.lab.matrix.cells import ANCHOR, BESIDE, GAMES, TECHNIQUES, absence, cells
from bolicho.lab.matrix.leaderboard import BEGIN, END, FOUND, PAGES, best, games_a_pair, shipped, tables, with_best
from bolicho.lab.study import run_study

ROOT = Path(bolicho.__file__).parents[2]
SHIPPED = shipped()


# --- Cells ----------------------------------------------------------------------------------------


def test_every_technique_has_a_cell_for_every_game():
    found = cells()
    assert [(cell.technique, cell.game) for cell in found] == [(name, game) for name in TECHNIQUES for game in GAMES]
    assert len(TECHNIQUES) == 10
    for cell in found:
        assert cell.agent or cell.why


def test_cells_that_play_are_agents_of_the_house_that_see_what_they_may():
    for cell in cells():
        if not cell.why:
            entry = find(parse_spec(cell.agent)[0])
            assert entry.home.startswith("bolicho.") and not entry.oracle


@pytest.mark.parametrize("name", ["rules", "Monte Carlo trees", "sampled worlds", "policy gradient"])
def test_who_is_there_for_every_game_is_never_left_out(name):
    assert [cell.why for cell in cells() if cell.technique == name] == [""] * len(GAMES)


def test_who_does_not_play_says_why():
    assert absence("random", "truco") == "" and absence("rule", "dominoes") == ""
    assert "does not play truco" in absence("rule", "truco")
    assert "unknown agent 'nobody'" in absence("nobody", "truco")
    for row in TECHNIQUES.values():
        for there in row.values():
            if isinstance(there, Absent):
                assert re.fullmatch(r"[A-Z].{40,}\.", there.why)


@pytest.mark.parametrize(("agents", "seats"), [(3, 2), (9, 2), (3, 3), (9, 3)])
def test_there_are_as_many_deals_as_give_every_pair_its_games(agents, seats):
    deals = play.deals_for(agents, seats, 1_000)
    tables = sum({0, 1} <= set(pairing) for pairing in pairings(agents, seats))
    assert tables * seats * deals >= 1_000 > tables * seats * (deals - 1)
    assert play.deals_for(agents, seats, 1) == 2


# --- The study ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    """A study of a few cells."""
    folder = tmp_path_factory.mktemp("matrix")
    absent = Absent("Nobody taught it here.")
    few = {"rules": TECHNIQUES["rules"], "Sarsa": {**TECHNIQUES["Sarsa"], "truco": absent, "wonders": "nobody"}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bolicho.lab.matrix.cells.TECHNIQUES", few)
        patch.setattr(play, "TECHNIQUES", few)
        patch.setattr("bolicho.lab.matrix.leaderboard.TECHNIQUES", few)
        patch.setattr(play, "BESIDE", {**BESIDE, "truco": ("novice",)})
        page = run_study("matrix", seed=4, jobs=1, out=folder)
    return folder, page.read_text(), json.loads((folder / FOUND).read_text())


def test_a_study_plays_whoever_plays_and_names_the_others(studied):
    _, html, content = studied
    assert {game: sorted(row["agent"] for row in found["rows"]) for game, found in content["games"].items()} == {
        "truco": ["balanced", "novice", ANCHOR],
        "dominoes": [ANCHOR, "rule", "sarsa"],
        "fives": [ANCHOR, "rule", "sarsa"],
        "wonders": [ANCHOR, "rules"],
    }
    assert [row[:2] for row in content["absent"]] == [["Sarsa", "truco"], ["Sarsa", "wonders"]]
    assert "bolicho lab run matrix --quick --seed 4" in html
    assert all("Nobody taught it here." in text for text in (html, tables(content)))
    for found in content["games"].values():
        assert games_a_pair(found) >= play.GAMES_A_PAIR[0]


def test_a_row_tells_of_rating_payoff_time_training_and_size(studied):
    rows = {row["agent"]: row for row in studied[2]["games"]["dominoes"]["rows"]}
    learned = rows["sarsa"]
    assert learned["files"] == ["sarsa-dominoes.safetensors"] and learned["size"] > 1000
    assert learned["commands"][0].startswith("bolicho train sarsa dominoes")
    assert rows["rule"]["files"] == [] and rows["rule"]["technique"] == "rules" and not rows[ANCHOR]["technique"]
    for row in rows.values():
        assert row["rating"]["low"] <= row["rating"]["value"] <= row["rating"]["high"] and 0 <= row["seconds"] < 1


def test_it_draws_one_picture_and_can_be_run_again(studied):
    folder, *_ = studied
    assert (folder / "matrix.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "work" / "fives" / "result.json").exists()


def test_the_best_is_whoever_comes_first_and_was_measured_against_all_others(studied):
    content = studied[2]
    for found in content["games"].values():
        assert {row["agent"] for row in found["best"]} == {row["agent"] for row in found["rows"][1:]}
    table = best(content)
    assert f"`{content['games']['wonders']['rows'][0]['agent']}`" in table
    assert "seed 4" in table and "semente 4" in best(content, "pt")
    page = with_best(f"Before.\n{BEGIN}\nold\n{END}\nAfter.", table)
    assert page == f"Before.\n{BEGIN}\n{table}\n{END}\nAfter."


# --- What ships -----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_pages_show_the_best_agents_of_the_results_that_ship(page):
    assert f"{BEGIN}\n{best(SHIPPED, PAGES[page])}\n{END}" in (ROOT / page).read_text()


def test_what_ships_was_trained_by_commands_there_are():
    for found in SHIPPED["games"].values():
        for row in found["rows"]:
            for command in row["commands"]:
                assert find_training(" ".join(command.split()[2:4]))
