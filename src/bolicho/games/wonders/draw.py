"""SVG drawings of 7 Wonders: one city, or the whole table as a seat sees it."""

import re
from collections.abc import Sequence
from html import escape

from bolicho.games.game import View
from bolicho.games.wonders.cards import BOARDS, CARDS, COLOUR, COLOURS, COSTS, GIVES, RESOURCES, SYMBOLS, stage_cost
from bolicho.games.wonders.state import City
from bolicho.games.wonders.text import ROMAN
from bolicho.games.wonders.view import WondersView

WIDTH = 1000
MARGIN = 12
SIDE = 226  # the board at the left of a city
COLUMN = (WIDTH - 2 * MARGIN - SIDE) / len(COLOURS)
CHIP = 20  # height of a card in a city
HAND_CARD = (133, 112)

FONT = "font-family='system-ui, sans-serif'"
INK, PAPER, PANEL, LINE, FAINT = "#2b2420", "#f4ecdc", "#fffaf0", "#cbbd9f", "#7d705c"
CARD_FILL = {
    "brown": "#8a5a34", "grey": "#7b8288", "blue": "#2f62a3", "yellow": "#d9a522",
    "red": "#b03a2e", "green": "#3c8048", "purple": "#70478f",
}  # fmt: skip
RESOURCE_FILL = {
    "wood": "#5f7d33", "stone": "#9a9a92", "ore": "#4f5a66", "clay": "#b85c38",
    "glass": "#5aa7b8", "papyrus": "#c2a35a", "cloth": "#a0557e",
}  # fmt: skip
LETTER = {"wood": "W", "stone": "S", "ore": "O", "clay": "C", "glass": "G", "papyrus": "P", "cloth": "L"}
GOLD = "#d8ac2b"


# --- Small elements -----------------------------------------------------------------------------


def _text(x: float, y: float, words: object, size: float = 12, fill: str = INK, extra: str = "") -> str:
    return f"<text x='{x:g}' y='{y:g}' font-size='{size:g}' fill='{fill}' {extra}>{escape(str(words))}</text>"


def _fitted(x: float, y: float, words: str, size: float, room: float, fill: str) -> str:
    """Return a text, compressed to fit its width if necessary."""
    squeeze = f"textLength='{room:g}' lengthAdjust='spacingAndGlyphs'" if len(words) * size * 0.56 > room else ""
    return _text(x, y, words, size, fill, squeeze)


def _box(x: float, y: float, width: float, height: float, fill: str, stroke: str = "none", round_: float = 5) -> str:
    place = f"x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}'"
    return f"<rect {place} rx='{round_:g}' fill='{fill}' stroke='{stroke}'/>"


def _disc(x: float, y: float, words: object, fill: str, radius: float = 7) -> str:
    centred = "text-anchor='middle' font-weight='bold'"
    return (
        f"<circle cx='{x:g}' cy='{y:g}' r='{radius:g}' fill='{fill}' stroke='{INK}' stroke-width='.5'/>"
        + _text(x, y + radius * 0.46, words, radius * 1.3, "#fff" if fill != GOLD else INK, centred)
    )  # fmt: skip


def _resource(x: float, y: float, name: str, radius: float = 7) -> str:
    return f"<g><title>{name}</title>{_disc(x, y, LETTER[name], RESOURCE_FILL[name], radius)}</g>"


def _shield(x: float, y: float, words: object = "", fill: str = CARD_FILL["red"]) -> str:
    path = f"M{x - 6:g} {y - 7:g}h12v7q0 6 -6 9q-6 -3 -6 -9z"
    centred = "text-anchor='middle' font-weight='bold'"
    return f"<path d='{path}' fill='{fill}' stroke='#fff' stroke-width='.8'/>" + _text(
        x, y + 3.5, words, 9, "#fff", centred
    )


def _symbol(x: float, y: float, name: str) -> str:
    """Return the sign of a symbol: compass, gear, tablet, or a star for any."""
    pen = "fill='none' stroke='currentColor' stroke-width='1.6'"
    shapes = {
        "compass": f"<path d='M{x:g} {y - 4:g}l-4 10M{x:g} {y - 4:g}l4 10M{x - 6:g} {y + 2:g}q6 5 12 0' {pen}/>"
        f"<circle cx='{x:g}' cy='{y - 5:g}' r='1.8' fill='currentColor'/>",
        "gear": f"<circle cx='{x:g}' cy='{y:g}' r='4.4' stroke-dasharray='2.3 1.2' {pen}/>"
        f"<circle cx='{x:g}' cy='{y:g}' r='1.4' fill='currentColor'/>",
        "tablet": f"<path d='M{x - 4:g} {y + 5:g}v-8q4 -5 8 0v8zM{x - 2:g} {y - 1:g}h4M{x - 2:g} {y + 2:g}h4' {pen}/>",
    }
    return shapes.get(name) or _text(x - 5, y + 5, "★", 13, "currentColor")


# --- Effects of cards as signs ------------------------------------------------------------------


def _signs(gives: str) -> list[str]:
    """Return the effects of a card or stage as signs: ["wood", "/", "clay"], ["3 points"]; empty if they need words."""
    if " per " in gives or gives.startswith(("raw", "goods", "free", "revive", "seventh", "copy")):
        return []
    signs: list[str] = []
    for part in gives.split(" + "):
        amount, _, what = part.partition(" ")
        if part in SYMBOLS or part == "wild symbol":
            signs.append(part)
        elif "/" in part:
            signs += (
                ["any raw" if part.count("/") == 3 else "any good"] if part.count("/") > 1 else re.split("(/)", part)
            )
        elif what in RESOURCES:
            signs += [what] * int(amount)
        elif part in RESOURCES or what:
            signs.append(part)
        else:
            return []
    return signs


def _draw_signs(x: float, y: float, signs: Sequence[str], ink: str) -> tuple[str, float]:
    """Return signs drawn to the right of x, and the x at which they end."""
    out = []
    for sign in signs:
        amount, _, what = sign.partition(" ")
        if sign in RESOURCES:
            out.append(_resource(x + 7, y, sign))
            x += 15
        elif sign == "/":
            out.append(_text(x, y + 4, "/", 11, ink))
            x += 5
        elif sign.startswith("any"):
            names = RESOURCES[:4] if sign == "any raw" else RESOURCES[4:]
            out += [_resource(x + 5 + 8 * i, y, name, 5) for i, name in enumerate(names)]
            x += 8 * len(names) + 4
        elif sign in SYMBOLS or sign == "wild symbol":
            out.append(f"<g color='{ink}'><title>{sign}</title>{_symbol(x + 7, y, sign)}</g>")
            x += 15
        elif what.startswith("shield"):
            fill = CARD_FILL["red"] if ink != "#fff" else "#f0d9d5"
            out += [_shield(x + 7 + 13 * i, y, fill=fill) for i in range(int(amount))]
            x += 2 + 13 * int(amount)
        elif what.startswith("coin"):
            out.append(_disc(x + 7, y, amount, GOLD))
            x += 16
        else:
            out.append(_text(x + 1, y + 4, amount, 12, ink, "font-weight='bold'"))
            x += 12
    return "".join(out), x


def _cost(x: float, y: float, cost: str, radius: float = 6) -> tuple[str, float]:
    """Return the units of a cost as discs, and the x at which they end."""
    out = []
    for part in filter(None, cost.split(", ")):
        amount, what = part.split(" ") if " " in part else ("1", part)
        for _ in range(int(amount)):
            out.append(
                _disc(x + radius, y, "1", GOLD, radius) if what == "coin" else _resource(x + radius, y, what, radius)
            )
            x += 2 * radius + 1
    return "".join(out), x


# --- A city -------------------------------------------------------------------------------------


def _stage(x: float, y: float, number: int, is_built: bool, width: float) -> str:
    """Return a stage of a wonder: its cost above, its effect below; filled once it is built."""
    cost, _ = _cost(x + 4, y + 9, COSTS[number], 5)
    signs = _signs(GIVES[number])
    fill, ink = ("#c9a14a", INK) if is_built else ("#efe6d2", FAINT)
    if signs:
        gives, _ = _draw_signs(x + 3, y + 25, signs, ink)
    else:
        words = re.sub(r" points?", "", GIVES[number]).replace(" + ", ", ")
        gives = _fitted(x + 4, y + 29, words, 10, width - 8, ink)
    title = f"<title>{escape(COSTS[number])}: {escape(GIVES[number])}</title>"
    return f"<g>{title}{_box(x, y, width, 36, fill, LINE, 4)}{cost}{gives}</g>"


def _board(city: City, y: float, who: str) -> str:
    """Return the left part of a city: name, stages, coins and military tokens."""
    board, x = BOARDS.index(city.board), MARGIN + 10
    width = (SIDE - 24 - 4 * (city.of - 1)) / city.of
    out = [
        _text(x, y + 20, f"{city.board}", 15, INK, "font-weight='bold'"),
        _resource(x + SIDE - 34, y + 15, city.start, 8),
    ]
    out.append(_text(x, y + 35, f"seat {city.seat}{who}", 11, FAINT))
    for stage in range(city.of):
        out.append(_stage(x + stage * (width + 4), y + 42, stage_cost(board, stage), stage < city.stages, width))
    line = y + 94
    out.append(_disc(x + 9, line, city.coins, GOLD, 10))
    out.append(_shield(x + 38, line - 1, city.shields))
    out.append(_text(x + 56, line + 4, f"war +{city.victories} −{city.defeats}", 12))
    out.append(
        _text(
            x + SIDE - 24, line + 5, f"{city.points['total']} points", 13, INK, "text-anchor='end' font-weight='bold'"
        )
    )
    return "".join(out)


def _chip(x: float, y: float, name: str, width: float) -> str:
    """Return a structure in a city: its name, and its effect if a sign exists for it."""
    number = CARDS.index(name)
    colour = COLOURS[COLOUR[number]]
    ink = INK if colour == "yellow" else "#fff"
    signs, end = _draw_signs(0, y + CHIP / 2 - 1, _signs(GIVES[number]), ink)
    room = width - end - 9
    return (
        f"<g><title>{escape(name)}: {escape(GIVES[number])}</title>"
        + _box(x, y, width, CHIP - 2, CARD_FILL[colour], round_=3)
        + _fitted(x + 4, y + 13, name, 11, room, ink)
        + f"<g transform='translate({x + width - end - 2:g} 0)'>{signs}</g></g>"
    )


def _city_height(city: City) -> float:
    return max(114, 26 + CHIP * max(len(cards) for cards in city.cards.values()))


def _city(city: City, y: float, who: str, mine: bool) -> str:
    height = _city_height(city)
    out = [_box(MARGIN, y, WIDTH - 2 * MARGIN, height, PANEL, "#8a6d2f" if mine else LINE, 8), _board(city, y, who)]
    for i, colour in enumerate(COLOURS):
        x = MARGIN + SIDE + i * COLUMN
        cards = city.cards[colour]
        out.append(f"<rect x='{x:g}' y='{y + 12:g}' width='{COLUMN - 5:g}' height='3' fill='{CARD_FILL[colour]}'/>")
        out += [_chip(x, y + 20 + CHIP * j, card, COLUMN - 5) for j, card in enumerate(cards)]
    return "".join(out)


# --- The hand -----------------------------------------------------------------------------------


def _hand_card(view: WondersView, x: float, y: float, name: str) -> str:
    """Return a card in hand: cost, effect, and the price of building it for this seat."""
    number = max((i for i, other in enumerate(CARDS) if other == name), key=lambda i: COSTS[i])
    width, height = HAND_CARD
    colour = COLOURS[COLOUR[number]]
    ink = INK if colour == "yellow" else "#fff"
    cost, _ = _cost(x + 6, y + 36, COSTS[number])
    signs, _ = _draw_signs(x + 6, y + 60, _signs(GIVES[number]), INK)
    if not _signs(GIVES[number]):
        first, per, rest = GIVES[number].partition(" per ")
        signs = _fitted(x + 7, y + 60, first, 11, width - 14, INK)
        signs += _fitted(x + 7, y + 75, (per + _where(rest)).strip(), 11, width - 14, INK)
    return (
        f"<g><title>{escape(name)}: {escape(COSTS[number] or 'free')}; {escape(GIVES[number])}</title>"
        + _box(x, y, width, height, "#fffdf6", CARD_FILL[colour], 6)
        + _box(x, y, width, 22, CARD_FILL[colour], round_=6)
        + _fitted(x + 7, y + 16, name, 13, width - 14, ink)
        + (cost or _text(x + 7, y + 40, "no cost", 11, FAINT))
        + signs
        + _fitted(x + 7, y + height - 9, _offer(view, name), 11, width - 14, FAINT)
        + "</g>"
    )


def _where(counted: str) -> str:
    """Return the place of counted objects, for people, from texts such as `brown own and next`."""
    for words, cities in (
        (" own and next", ", all three cities"),
        (" own", ", own city"),
        (" next", ", both neighbours"),
    ):
        if counted.endswith(words):
            return counted.removesuffix(words) + cities
    return counted


def _offer(view: WondersView, name: str) -> str:
    """Return the ways to use a card now, besides selling it."""
    ways = []
    for action in view.legal:
        kind, _, rest = action.partition(" ")
        if kind != "sell" and re.fullmatch(re.escape(name) + r"( \d+/\d+)?", rest):
            price = view.cost(action)
            ways.append(f"{kind} {price.total}" if price.total else kind)
    if ways:
        return ", ".join(dict.fromkeys(ways))
    return "sell only" if view.turn == view.seat else ""


def _hand(view: WondersView, y: float) -> str:
    out = [_text(MARGIN + 4, y + 14, "hand", 12, FAINT)]
    step = HAND_CARD[0] + 6
    for i, name in enumerate(view.hand):
        out.append(_hand_card(view, MARGIN + i * step, y + 22, name))
    return "".join(out)


# --- Whole drawings -----------------------------------------------------------------------------


def _frame(height: float, inside: str) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height:g}' "
        f"width='{WIDTH}' height='{height:g}' {FONT}>" + _box(0, 0, WIDTH, height, PAPER, round_=0) + inside + "</svg>"
    )


def _relation(view: WondersView, seat: int) -> str:
    return {view.seat: ", you", view.left: ", left neighbour", view.right: ", right neighbour"}.get(seat, "")


def city_svg(view: WondersView, seat: int | None = None) -> str:
    """Return a drawing of one city (by default the seat's own)."""
    city = view.city(seat)
    return _frame(
        _city_height(city) + 2 * MARGIN, _city(city, MARGIN, _relation(view, city.seat), city.seat == view.seat)
    )


def svg(view: View) -> str:
    """Return the table as a seat sees it: the others from the left neighbour on, then its own city and hand."""
    assert isinstance(view, WondersView)
    title = "the end" if view.over else f"age {ROMAN[view.age - 1]}, turn {view.round}"
    out = [_text(MARGIN + 4, 22, title, 15, INK, "font-weight='bold'")]
    y = 34.0
    for step in range(1, view.game.seats + 1):
        city = view.city((view.seat + step) % view.game.seats)
        out.append(_city(city, y, _relation(view, city.seat), city.seat == view.seat))
        y += _city_height(city) + 8
    if view.hand:
        out.append(_hand(view, y))
        y += HAND_CARD[1] + 30
    return _frame(y + 4, "".join(out))
