"""Dominoes by brute force in plain Python, written from the rules alone, with lists of tiles.

A position is (hand of the mover, other hand, boneyard, line); a line is None or a dict of open ends.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Line:
    """Open ends as (value, count in the total), and the spinner."""

    left: tuple[int, int]
    right: tuple[int, int]
    arms: tuple[tuple[int, int] | None, ...] = (None, None)  # None: nothing there yet
    spinner: int | None = None
    spinner_left: bool = False  # covered
    spinner_right: bool = False


@dataclass(frozen=True)
class House:
    fives: bool = False
    reserve: int = 0
    arms_after: int = 0
    spinner: str = "double"
    rounding: str = "none"
    multiple: int = 5


def open_ends(house, line):
    """Return the open ends as (name, value)."""
    ends = [("left", line.left[0]), ("right", line.right[0])]
    if house.fives and line.spinner is not None and line.spinner_left + line.spinner_right >= house.arms_after:
        for i, arm in enumerate(line.arms):
            ends.append((i, line.spinner if arm is None else arm[0]))
    return ends


def first_line(house, tile):
    a, b = tile
    if house.fives and a == b:
        return Line((a, 0), (a, 0), spinner=a)
    return Line((a, a), (b, b))


def extend(house, line, tile, where, value):
    outer = tile[1] if tile[0] == value else tile[0]
    double = tile[0] == tile[1]
    end = (outer, 2 * outer if double else outer)
    if house.fives and double and line.spinner is None:
        end = (outer, 0)
        line = replace(line, spinner=outer, spinner_left=where == "right", spinner_right=where == "left")
    elif line.spinner is not None:
        line = replace(
            line,
            spinner_left=line.spinner_left or where == "left",
            spinner_right=line.spinner_right or where == "right",
        )
    if where in ("left", "right"):
        return replace(line, **{where: end})
    arms = list(line.arms)
    arms[where] = end
    return replace(line, arms=tuple(arms))


def points(house, line):
    if not house.fives:
        return 0
    total = line.left[1] + line.right[1] + sum(arm[1] for arm in line.arms if arm is not None)
    if line.spinner is not None:
        bare = [not line.spinner_left, not line.spinner_right, line.arms[0] is None, line.arms[1] is None]
        if house.spinner == "double":
            if sum(bare) > 2:
                total += 2 * line.spinner
        else:
            arms_open = line.spinner_left + line.spinner_right >= house.arms_after
            total += line.spinner * (sum(bare) if arms_open else bare[0] + bare[1])
    return total if total % house.multiple == 0 else 0


def bonus(house, hand):
    pips = sum(a + b for a, b in hand)
    unit = house.multiple
    match house.rounding:
        case "up":
            return -(-pips // unit) * unit
        case "down":
            return pips // unit * unit
        case "nearest":
            return (pips + unit / 2) // unit * unit
    return pips


def moves(house, hand, line):
    """Return the moves as (tile, end, line afterwards)."""
    if line is None:
        return [(tile, "left", first_line(house, tile)) for tile in hand]
    return [
        (tile, where, extend(house, line, tile, where, value))
        for tile in hand
        for where, value in open_ends(house, line)
        if value in tile
    ]


def gain(house, hand, other, boneyard, line):
    """Return the gain of a move that leaves this line and these hands, with the opponent to move."""
    if not hand:
        return bonus(house, other)
    other, boneyard = list(other), list(boneyard)
    while not moves(house, other, line) and len(boneyard) > house.reserve:
        other.append(boneyard.pop(0))
    if moves(house, other, line):
        return -max(values(house, other, hand, boneyard, line).values())
    if moves(house, hand, line):
        return max(values(house, hand, other, boneyard, line).values())
    lightest = min([*hand, *other], key=lambda tile: (sum(tile), min(tile)))
    return bonus(house, other) if lightest in hand else -bonus(house, hand)


def values(house, hand, other, boneyard, line):
    """Return the gain of each move of a mover that can play, as {(tile, where): value}."""
    found = {}
    for tile, where, after in moves(house, hand, line):
        rest = [t for t in hand if t != tile]
        found[tile, where] = points(house, after) + gain(house, rest, other, boneyard, after)
    return found
