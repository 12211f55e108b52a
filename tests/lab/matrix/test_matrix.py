"""The matrix: its cells, the output of the study, and the shipped leaderboard."""

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


def test_agents_of_cells_are_built_in_and_no_oracles():
    for cell in cells():
        if not cell.why:
            entry = find(parse_spec(cell.agent)[0])
            assert entry.home.startswith("bolicho.") and not entry.oracle


@pytest.mark.parametrize("name", ["rules", "Monte Carlo trees", "sampled worlds", "policy gradient"])
def test_techniques_for_every_game_have_no_empty_cell(name):
    assert [cell.why for cell in cells() if cell.technique == name] == [""] * len(GAMES)


def test_empty_cell_has_a_reason():
    assert absence("random", "truco") == "" and absence("rule", "dominoes") == ""
    assert "does not play truco" in absence("rule", "truco")
    assert "unknown agent 'nobody'" in absence("nobody", "truco")
    for row in TECHNIQUES.values():
        for there in row.values():
            if isinstance(there, Absent):
                assert re.fullmatch(r"[A-Z].{40,}\.", there.why)


@pytest.mark.parametrize(("agents", "seats"), [(3, 2), (9, 2), (3, 3), (9, 3)])
def test_number_of_deals_gives_every_pair_the_required_games(agents, seats):
    deals = play.deals_for(agents, seats, 1_000)
    tables = sum({0, 1} <= set(pairing) for pairing in pairings(agents, seats))
    assert tables * seats * deals >= 1_000 > tables * seats * (deals - 1)
    assert play.deals_for(agents, seats, 1) == 2


# --- The study ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def study_output(tmp_path_factory):
    """Run a study of a few cells, and return its files."""
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


def test_study_plays_available_agents_and_names_the_absent_ones(study_output):
    _, html, content = study_output
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


def test_row_has_rating_time_training_command_and_size(study_output):
    rows = {row["agent"]: row for row in study_output[2]["games"]["dominoes"]["rows"]}
    learned = rows["sarsa"]
    assert learned["files"] == ["sarsa-dominoes.safetensors"] and learned["size"] > 1000
    assert learned["commands"][0].startswith("bolicho train sarsa dominoes")
    assert rows["rule"]["files"] == [] and rows["rule"]["technique"] == "rules" and not rows[ANCHOR]["technique"]
    for row in rows.values():
        assert row["rating"]["low"] <= row["rating"]["value"] <= row["rating"]["high"] and 0 <= row["seconds"] < 1


def test_study_draws_a_picture_and_keeps_its_results(study_output):
    folder, *_ = study_output
    assert (folder / "matrix.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "work" / "fives" / "result.json").exists()


def test_best_agent_is_first_and_compared_with_all_others(study_output):
    content = study_output[2]
    for found in content["games"].values():
        assert {row["agent"] for row in found["best"]} == {row["agent"] for row in found["rows"][1:]}
    table = best(content)
    assert f"`{content['games']['wonders']['rows'][0]['agent']}`" in table
    assert "seed 4" in table and "semente 4" in best(content, "pt")
    page = with_best(f"Before.\n{BEGIN}\nold\n{END}\nAfter.", table)
    assert page == f"Before.\n{BEGIN}\n{table}\n{END}\nAfter."


# --- Shipped files --------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_pages_show_the_best_agents_of_the_results_that_ship(page):
    assert f"{BEGIN}\n{best(SHIPPED, PAGES[page])}\n{END}" in (ROOT / page).read_text()


def test_training_commands_of_shipped_agents_exist():
    for found in SHIPPED["games"].values():
        for row in found["rows"]:
            for command in row["commands"]:
                assert find_training(" ".join(command.split()[2:4]))
