"""Datasets of decisions: rows that replay, values of the analysis, and no hidden card in a view."""

import json

import duckdb
import pytest

from bolicho.agents.cfr.analyse import analyse
from bolicho.arena.dataset import COLUMNS, Wanted, decisions, write_dataset
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.games.record import replay
from bolicho.store.file_checksums import damaged
from tests.test_cli import bolicho_json


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("dataset") / "truco"
    told = bolicho_json("dataset", "truco", "balanced", "novice", "--rule", "hands=1", "--deals", 4, "--by", "balanced",
                        "--lines", "--out", out)  # fmt: skip
    assert told["games"] == 8
    return out


def read(folder):
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT * FROM '{folder}/decisions.parquet' ORDER BY game, ply")
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_rows_are_the_decisions_of_the_records(folder):
    rows = read(folder)
    assert list(rows[0]) == list(COLUMNS)
    records = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    for number, record in enumerate(records, 1):
        mine = [row for row in rows if row["game"] == number]
        assert [row["action"] for row in mine] == record["actions"]
        table = replay(record)
        assert all(row["payoff"] == table.payoffs[row["seat"]] for row in mine)
        assert all(row["action"] in row["legal"] and len(row["mixture"]) == len(row["legal"]) for row in mine)
    assert {row["deal"] for row in rows} == {0, 1, 2, 3}
    assert json.loads((folder / "decisions.jsonl").read_text().splitlines()[0])["text"] == rows[0]["text"]


def test_mixtures_and_values_are_those_of_the_analysis(folder):
    table = replay(json.loads((folder / "games.jsonl").read_text().splitlines()[0]))
    found = analyse(table, "balanced").decisions
    rows = [row for row in read(folder) if row["game"] == 1]
    for one, row in zip(found, rows, strict=True):
        assert list(one.values) == row["legal"]
        assert list(one.values.values()) == pytest.approx(row["values"])
        assert list(one.mixture.values()) == pytest.approx(row["mixture"])


def test_views_do_not_depend_on_hidden_cards():
    """Compare the first rows of two deals with the same hand for seat 0 and different ones for seat 1."""
    game = find_game("truco", hands=1)
    first = []
    for theirs in (["4e", "5e", "6e"], ["1e", "1p", "7o"]):
        table = game.setup(hands=[["3c", "4c", "10o"], theirs], mao=0)
        while not table.over:
            table.play("baralho")
        first.append(next(decisions(table)))
    assert {**first[0], "legal": None} == {**first[1], "legal": None}


def test_dataset_is_described_and_sealed(folder):
    names = [path.name for path in folder.iterdir() if path.name != "SHA256SUMS"]
    assert damaged(folder, names) == [] and "CC-BY-4.0" in (folder / "LICENSE.txt").read_text()
    card = (folder / "README.md").read_text()
    assert all(f"| {name} |" in card for name in COLUMNS) and "Split by `deal`" in card


def test_games_without_values_have_mixtures(tmp_path):
    game = find_game("bolicho.games.poker:POKER")
    told = write_dataset(game, ["random", "random"], Wanted(2, 1, "random", views=False), tmp_path / "poker", "", print)
    rows = read(tmp_path / "poker")
    assert told["decisions"] == len(rows) > 0
    assert all(
        row["values"] is None and row["view"] is None and sum(row["mixture"]) == pytest.approx(1) for row in rows
    )


@pytest.mark.parametrize(
    ("agents", "wanted", "reason"),
    [
        (["balanced"], Wanted(1, 1), "2 seats, but 1 agents"),
        (["balanced", "novice"], Wanted(1, 1, "mcts"), "does not state its mixture"),
        (["balanced", "novice"], Wanted(1, 1, licence="x"), "licence 'x'"),
    ],
)
def test_bad_requests_are_refused_before_a_game(tmp_path, agents, wanted, reason):
    with pytest.raises(BadInput, match=reason):
        write_dataset(find_game("truco", hands=1), agents, wanted, tmp_path / "none", "", print)
    assert not (tmp_path / "none").exists()
