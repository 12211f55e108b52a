"""Drawings: valid, complete, without overlaps, and without hidden tiles."""

import random
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bolicho
from bolicho.games.dominoes.draw import PIP_PLACES, lay_out
from bolicho.games.dominoes.rules import TILES

PICTURE = Path(__file__).parents[3] / "docs" / "images" / "dominoes.svg"
SVG = "{http://www.w3.org/2000/svg}"


def played(game, seed, plies, **rules):
    table = bolicho.game(game, **rules).deal(seed)
    rng = random.Random(seed)
    while not table.over and table.ply < plies:
        table.play(rng.choice(table.legal))
    return table


def titles(drawing):
    """Return the tiles that a drawing shows face up."""
    return [element.text for element in ElementTree.fromstring(drawing).iter(f"{SVG}title")][1:]


def box(placed):
    """Return the area of a tile in half tiles: left, top, right, bottom."""
    across, down = (0.5, 1.0) if placed.dx == 0 else (1.0, 0.5)
    return placed.x - across, placed.y - down, placed.x + across, placed.y + down


def overlap(a, b):
    return a[0] < b[2] - 0.01 and b[0] < a[2] - 0.01 and a[1] < b[3] - 0.01 and b[1] < a[3] - 0.01


def test_every_value_has_as_many_pips_inside_its_half():
    assert [len(places) for places in PIP_PLACES] == list(range(13))
    for places in PIP_PLACES:
        assert len(set(places)) == len(places)
        assert all(0.1 < x < 0.9 and 0.1 < y < 0.9 for x, y in places)


@pytest.mark.parametrize(("game", "highest"), [("dominoes", 6), ("fives", 6), ("dominoes", 12), ("fives", 12)])
def test_tiles_lie_side_by_side_and_never_on_each_other(game, highest):
    for seed in range(12 if highest == 6 else 3):
        placed = lay_out(played(game, seed, 999, highest=highest).view(0).line)
        boxes = [box(tile) for tile in placed]
        assert not any(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("game", ["dominoes", "fives"])
def test_neighbours_touch_with_equal_halves(game):
    """Find every joint of the line on the table, as two touching halves of one value."""
    for seed in range(12):
        line = played(game, seed, 999).view(0).line
        halves = []
        for tile in lay_out(line):
            halves.append((tile.name, tile.first, tile.x - tile.dx / 2, tile.y - tile.dy / 2))
            halves.append((tile.name, tile.second, tile.x + tile.dx / 2, tile.y + tile.dy / 2))
        rows = [line.row]
        if line.spinner is not None:
            rows += [[line.row[line.spinner], *arm] for arm in (line.up, line.down)]
        for row in rows:
            for (a, left), (right, b) in pairwise(row):
                assert left == right
                first, second = (f"{max(t)}-{min(t)}" for t in ((a, left), (right, b)))
                nearest = min(
                    max(abs(x - u), abs(y - v))
                    for one, value, x, y in halves
                    for other, same, u, v in halves
                    if one == first and other == second and value == same == left
                )
                assert nearest <= 1.01


@given(st.sampled_from(["dominoes", "fives"]), st.integers(0, 10**6), st.integers(0, 30), st.integers(0, 1))
@settings(max_examples=60)
def test_drawing_shows_only_tiles_that_the_seat_sees(game, seed, plies, seat):
    table = played(game, seed, plies)
    view = table.view(seat)
    drawing = view.svg()
    shown = titles(drawing)
    line = [TILES[int(number) // 4] for number in table.state["line"][: table.ply]]
    assert sorted(shown) == sorted(line + view.hand + view.other_hand)
    assert f"boneyard {view.boneyard}" in drawing
    if not table.over:
        assert not set(shown) & set(view.unseen)
        backs = [e for e in ElementTree.fromstring(drawing).iter(f"{SVG}rect") if e.get("fill") == "#7a4a2b"]
        assert len(backs) == view.other


def test_a_drawing_contains_its_tiles():
    """Check that nothing is cut off at the border."""
    for game in ("dominoes", "fives"):
        for seed in range(6):
            root = ElementTree.fromstring(played(game, seed, 999).view(0).svg())
            left, top, width, height = map(float, root.get("viewBox").split())
            for rect in root.iter(f"{SVG}rect"):
                x, y, w, h = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
                assert left - 0.02 <= x and x + w <= left + width + 0.02
                assert top - 0.02 <= y and y + h <= top + height + 0.02


def test_picture_in_the_documentation_is_up_to_date():
    table = bolicho.game("fives").deal(26)
    for action in ["5-5", "5-3 r", "5-2 u", "4-2", "5-0 l", "1-0", "4-1 u", "1-1 u", "4-3", "4-4", "6-5", "6-0"]:
        table.play(action)
    assert table.view(0).svg() == PICTURE.read_text("utf-8")
