"""The 40 Spanish cards as vector drawings, without fonts, links or identifiers.

A card is 100 by 154 units.  The line of its frame is interrupted by suit, the *pinta*, so that a
fanned hand can be read from its edge: ouros never, copas once, espadas twice, paus three times.
There are no `id` attributes, so a page can contain any number of drawings.
"""

from bolicho.errors import unknown
from bolicho.games.truco.rules import CARDS

WIDTH, HEIGHT = 100, 154

PAPER, FRAME, INK = "#fdf7e6", "#2f4a6d", "#2b2320"
GOLD, GOLD_EDGE = "#f3c13a", "#a8701a"
SKIN, SKIN_EDGE = "#f2cda4", "#a9764c"

SUIT_NAMES = {"e": "espadas", "p": "paus", "c": "copas", "o": "ouros"}
FIGURE_NAMES = {10: "sota", 11: "cavalo", 12: "rei"}
PINTA = {"o": 0, "c": 1, "e": 2, "p": 3}
"""Interruptions of the frame, by suit."""

SUIT_INK = {"e": "#23508f", "p": "#23652b", "c": "#a81f24", "o": "#a8641a"}

# --- Suits: drawn about (0, 0), 100 units high --------------------------------------------------

SWORD = (
    '<g stroke-linejoin="round" stroke-width="2">'
    '<path d="M0-50L7-38L5 20L-5 20L-7-38Z" fill="#7fb0e6" stroke="#1d3f75"/>'
    '<path d="M0-50L7-38L5 20L0 20Z" fill="#3f76bd"/>'
    '<path d="M-14 14C-11 21-6 20 0 19C6 20 11 21 14 14C18 22 12 29 6 27L-6 27C-12 29-18 22-14 14Z"'
    f' fill="{GOLD}" stroke="{GOLD_EDGE}"/>'
    '<path d="M-4 28L4 28L5 41L-5 41Z" fill="#b3262b" stroke="#6e1216"/>'
    f'<circle cy="45" r="5" fill="{GOLD}" stroke="{GOLD_EDGE}"/></g>'
)
CLUB = (
    '<g stroke-linejoin="round" stroke-width="2">'
    '<path d="M-4 49C-4 36-6 28-7 18C-8 10-9 6-10-2C-16-16-17-32-11-43C-7-50 7-50 11-43C17-32 16-16 11-4'
    'C9 6 8 12 7 20C6 30 4 38 4 49C2 51-2 51-4 49Z" fill="#4f9e46" stroke="#1c4d22"/>'
    '<path d="M9-42C13-30 11-16 6-4C3 10 3 30 1 48L4 48C4 38 6 30 7 20C8 12 9 6 11-4C16-16 16-30 11-41Z"'
    ' fill="#2c7032"/>'
    '<path d="M-8-36C-5-28-10-24-7-16M-1-44C1-38-3-34 0-29M-4 2C-2 8-4 12-2 18M-2 28C-1 32-2 36-1 40" fill="none"'
    ' stroke="#1c4d22" stroke-width="1.8" stroke-linecap="round"/>'
    '<g fill="#f0c777" stroke="#8a4f1d"><ellipse cx="-13" cy="-8" rx="4" ry="6.4" transform="rotate(16-13-8)"/>'
    '<ellipse cx="12" cy="4" rx="3.6" ry="5.6" transform="rotate(-16 12 4)"/>'
    '<ellipse cx="3" cy="-20" rx="4.4" ry="5.4"/><ellipse cx="-7" cy="22" rx="3" ry="4.6"/></g>'
    '<g fill="#c98f45"><ellipse cx="3" cy="-20" rx="1.8" ry="2.4"/><ellipse cx="-13" cy="-8" rx="1.5" ry="2.6"/>'
    '<ellipse cx="12" cy="4" rx="1.4" ry="2.2"/></g></g>'
)
CUP = (
    '<g stroke-linejoin="round" stroke-width="2.4">'
    f'<path d="M-22 48C-20 38-7 38-5 30L5 30C7 38 20 38 22 48Z" fill="{GOLD}" stroke="{GOLD_EDGE}"/>'
    '<path d="M-6 8L6 8L4 32L-4 32Z" fill="#c9292d" stroke="#6e1216"/>'
    f'<ellipse cy="20" rx="9" ry="5" fill="{GOLD}" stroke="{GOLD_EDGE}"/>'
    '<path d="M-33-42C-34-12-24 10 0 12C24 10 34-12 33-42Z" fill="#d8343a" stroke="#6e1216"/>'
    '<path d="M14-36C16-14 12 2 2 10C20 6 28-12 29-36Z" fill="#a81f24"/>'
    '<path d="M-26-33C-26-18-22-6-15 1" fill="none" stroke="#f39a93" stroke-width="4" stroke-linecap="round"/>'
    f'<path d="M-32-26C-14-20 14-20 32-26L31-17C13-11-13-11-31-17Z" fill="{GOLD}" stroke="{GOLD_EDGE}"/>'
    f'<ellipse cy="-42" rx="33" ry="7.5" fill="{GOLD}" stroke="{GOLD_EDGE}"/>'
    '<ellipse cy="-41.5" rx="25" ry="4.2" fill="#7a1519"/></g>'
)
_PETAL = '<path d="M0-10C9-17 9-27 0-33C-9-27-9-17 0-10Z" transform="rotate({})"/>'
COIN = (
    f'<circle r="49" fill="{GOLD}" stroke="{GOLD_EDGE}" stroke-width="3"/>'
    '<circle r="41" fill="#fbe08a" stroke="#c2401f" stroke-width="2.4"/>'
    f'<circle r="45" fill="none" stroke="{GOLD_EDGE}" stroke-width="2" stroke-dasharray="2 4"/>'
    '<g fill="#e2702a" stroke="#9c3a17" stroke-width="1.4">'
    + "".join(_PETAL.format(angle) for angle in range(0, 360, 60))
    + "</g>"
    f'<circle r="11" fill="#3c74b8" stroke="#1d3f75" stroke-width="2"/><circle r="4.5" fill="{GOLD}"/>'
)
SUITS = {"e": SWORD, "p": CLUB, "c": CUP, "o": COIN}

# --- Positions of the pips: (x, y) by number, and their height ----------------------------------

_Layout = dict[int, tuple[float, tuple[tuple[float, float], ...]]]

ROUND_PIPS: _Layout = {
    1: (66, ((50, 77),)),
    2: (44, ((50, 47), (50, 107))),
    3: (36, ((50, 37), (50, 77), (50, 117))),
    4: (35, ((30, 47), (70, 47), (30, 107), (70, 107))),
    5: (33, ((29, 42), (71, 42), (50, 77), (29, 112), (71, 112))),
    6: (32, ((30, 41), (70, 41), (30, 77), (70, 77), (30, 113), (70, 113))),
    7: (27, ((28, 41), (72, 41), (50, 59), (28, 77), (72, 77), (28, 113), (72, 113))),
}
"""Pip layouts of coins and cups, by number."""

LONG_PIPS: _Layout = {
    1: (104, ((50, 77),)),
    2: (90, ((34, 77), (66, 77))),
    3: (80, ((26, 80), (50, 77), (74, 74))),
    4: (54, ((33, 47), (67, 47), (33, 107), (67, 107))),
    5: (50, ((28, 47), (72, 47), (50, 77), (28, 107), (72, 107))),
    6: (52, ((26, 48), (50, 48), (74, 48), (26, 106), (50, 106), (74, 106))),
    7: (50, ((29, 49), (50, 49), (71, 49), (20, 106), (40, 106), (60, 106), (80, 106))),
}
"""Pip layouts of swords and clubs, by number."""


def pip(suit: str, x: float, y: float, height: float) -> str:
    """Return one suit sign, centred on (x, y)."""
    return f'<g transform="translate({x:g} {y:g}) scale({height / 100:g})">{SUITS[suit]}</g>'


def _pips(number: int, suit: str) -> str:
    height, places = (ROUND_PIPS if suit in "co" else LONG_PIPS)[number]
    if suit == "c" and number in (1, 2, 4):
        height *= 1.15  # a cup is narrower than a coin, so there is room
    return "".join(pip(suit, x, y, height) for x, y in places)


# --- Figures ------------------------------------------------------------------------------------

COATS = {
    "e": ("#2f62a8", "#c9292d"),
    "p": ("#2f7d3a", "#d98a1f"),
    "c": ("#b3262b", "#2f62a8"),
    "o": ("#d98a1f", "#7c2a6b"),
}
"""The two colours of each suit's figures."""

_HEAD = (
    f'<circle cx="{{x}}" cy="{{y}}" r="9" fill="{SKIN}" stroke="{SKIN_EDGE}" stroke-width="1"/>'
    f'<g fill="{INK}"><circle cx="{{a}}" cy="{{e}}" r="1.1"/><circle cx="{{b}}" cy="{{e}}" r="1.1"/></g>'
    '<path d="M{c} {m}q2.4 2 4.8 0" fill="none" stroke="#9c3a2a" stroke-width="1.1" stroke-linecap="round"/>'
)


def _head(x: float, y: float) -> str:
    return _HEAD.format(x=x, y=y, a=x - 3.4, b=x + 3.4, e=y - 0.5, c=x - 2.4, m=y + 4)


def _sota(suit: str) -> str:
    """Return a page on foot: cap and feather, short coat, hose of two colours."""
    coat, trim = COATS[suit]
    return (
        '<path d="M20 137.5Q44 133 68 137.5" fill="none" stroke="#6f8f4a" stroke-width="3" stroke-linecap="round"/>'
        f'<g stroke="{INK}" stroke-width="1" stroke-linejoin="round">'
        f'<path d="M33 101L43 101L42 131L34 131Z" fill="{trim}"/>'
        f'<path d="M45 101L55 101L54 131L46 131Z" fill="{coat}"/>'
        f'<path d="M33 130L42 130L42 136L27 136Q28 131 33 130ZM46 130L55 130Q60 131 61 136L46 136Z" fill="#5a3a24"/>'
        '<path d="M34 42C31 50 31 57 34 60L54 60C57 57 57 50 54 42Z" fill="#8a5a2b"/>'
        f'<path d="M36 60L52 60L60 70L58 106L30 106L28 70Z" fill="{coat}"/>'
        f'<path d="M41 60L47 60L46.5 106L41.5 106Z" fill="{trim}"/>'
        f'<path d="M29.4 86L58.8 86L58.6 91L29.2 91Z" fill="{GOLD}"/>'
        f'<path d="M30 66L22 88L27 91L35 76Z" fill="{coat}"/><circle cx="24" cy="91" r="3.4" fill="{SKIN}"/>'
        f'<path d="M55 64L70 74L67 80L53 75Z" fill="{coat}"/></g>'
        + _head(44, 50)
        + f'<g stroke="{INK}" stroke-width="1" stroke-linejoin="round">'
        f'<path d="M32 44C32 33 54 31 57 42C50 46 40 43 32 44Z" fill="{trim}"/>'
        f'<path d="M34 40C26 36 24 29 27 24C31 28 36 31 38 38Z" fill="{PAPER}"/></g>'
        + _held(suit, 72, 60)
        + f'<circle cx="70" cy="78" r="3.8" fill="{SKIN}" stroke="{SKIN_EDGE}"/>'
    )


def _rei(suit: str) -> str:
    """Return a standing king: crown, beard, long robe with ermine."""
    coat, trim = COATS[suit]
    spots = "".join(f'<path d="M{x} 128l1.4 4l-2.8 0Z"/>' for x in (29, 37, 45, 53, 61))
    return (
        f'<g stroke="{INK}" stroke-width="1" stroke-linejoin="round">'
        f'<path d="M33 60L57 60C66 84 68 112 70 136L20 136C22 112 24 84 33 60Z" fill="{trim}"/>'
        f'<path d="M37 60L53 60L57 126L33 126Z" fill="{coat}"/>'
        f'<path d="M42.5 62L47.5 62L48.5 126L41.5 126Z" fill="{GOLD}"/>'
        f'<path d="M35 92L55.5 92L56 97L34.5 97Z" fill="{GOLD}"/>'
        '<path d="M20.8 126L69.2 126L70 136L20 136Z" fill="#fffdf6"/>'
        '<path d="M31 61Q45 74 59 61L60 68Q45 82 30 68Z" fill="#fffdf6"/>'
        f'<path d="M30 70L23 90L29 93L36 80Z" fill="{trim}"/><circle cx="26" cy="93" r="3.4" fill="{SKIN}"/>'
        f'<path d="M56 66L71 75L68 82L54 77Z" fill="{trim}"/></g>'
        f'<g fill="{INK}">{spots}</g>'
        + _head(45, 50)
        + '<path d="M36 50C35 60 40 69 45 70C50 69 55 60 54 50C52 56 49 56 47.4 54.4L42.6 54.4C41 56 38 56 36 50Z"'
        f' fill="#d9cdb8" stroke="#7d6a52" stroke-width="1"/>'
        f'<path d="M35 43L33 28L40 36L45 25L50 36L57 28L55 43Q45 40 35 43Z" fill="{GOLD}" stroke="{GOLD_EDGE}"'
        ' stroke-width="1.2" stroke-linejoin="round"/>'
        '<g fill="#c9292d"><circle cx="33" cy="27.6" r="1.8"/><circle cx="45" cy="24.6" r="1.8"/>'
        '<circle cx="57" cy="27.6" r="1.8"/></g>'
        + _held(suit, 73, 61)
        + f'<circle cx="71" cy="79" r="3.8" fill="{SKIN}" stroke="{SKIN_EDGE}"/>'
    )


def _cavalo(suit: str) -> str:
    """Return a rider on a trotting horse."""
    coat, trim = COATS[suit]
    return (
        '<path d="M22 138.5Q50 134 72 138" fill="none" stroke="#6f8f4a" stroke-width="3" stroke-linecap="round"/>'
        f'<g stroke="{INK}" stroke-width="1" stroke-linejoin="round">'
        '<path d="M77 99C86 98 88 110 83 122C82 114 79 109 75 108Z" fill="#5a3a24"/>'  # tail
        '<path d="M66 108L74 110L72 122L76 135L70 136L65 122Z" fill="#a9835a"/>'  # far hind leg
        '<path d="M36 112L43 112L36 124L29 126L27 121L32 119Z" fill="#a9835a"/>'  # far fore leg, lifted
        '<path d="M27 66C31 66 34 69 36 74C40 84 46 91 54 92L70 92C79 92 81 100 78 108C76 114 72 116 66 115L50 116'
        'C40 117 33 112 31 102C30 94 28 89 26 86L20 92C17 94 13 91 14 88L21 72L22 65Z" fill="#f6ead2"/>'  # body
        '<path d="M60 112L69 112L66 124L67 136L60 136L60 124Z" fill="#f6ead2"/>'  # near hind leg
        '<path d="M39 113L48 115L45 125L46 136L39 136L39 125Z" fill="#f6ead2"/>'  # near fore leg
        '<path d="M59.6 132L67 132L67 137L59 137ZM38.6 132L46 132L46 137L38 137Z" fill="#5a3a24"/>'  # hooves
        '<path d="M26 64C34 64 40 74 43 88C38 86 34 80 31 74Z" fill="#5a3a24"/>'  # mane
        f'<path d="M17 80L25 84M22 72L40 92" fill="none" stroke="{trim}" stroke-width="2"/>'  # bridle and rein
        f'<path d="M44 92Q56 98 69 92L68 107Q56 111 46 106Z" fill="{trim}"/>'  # saddle cloth
        f'<path d="M50 88L60 88L57 104L58 114L51 114L50 104Z" fill="{coat}"/>'  # leg
        '<path d="M49.6 111L58.4 111L58.4 117L45 117Q45.4 112 49.6 111Z" fill="#5a3a24"/>'  # boot
        f'<path d="M46 61L60 61L65 70L64 93L46 93L43 72Z" fill="{coat}"/>'
        f'<path d="M45.6 84L64.4 84L64.2 88.4L45.7 88.4Z" fill="{GOLD}"/>'
        f'<path d="M45 66L38 84L43 87L50 76Z" fill="{coat}"/><circle cx="40" cy="87" r="3" fill="{SKIN}"/>'
        f'<path d="M60 63L73 70L71 77L58 73Z" fill="{coat}"/></g>'
        f'<circle cx="20.6" cy="76" r="1.3" fill="{INK}"/>'
        + _head(53, 51)
        + f'<g stroke="{INK}" stroke-width="1" stroke-linejoin="round">'
        f'<path d="M38 45Q53 38 68 45Q53 49 38 45Z" fill="{trim}"/>'
        f'<path d="M44 43Q46 33 53 33Q60 33 62 43Q53 39 44 43Z" fill="{trim}"/></g>'
        + _held(suit, 76, 56)
        + f'<circle cx="73" cy="74" r="3.6" fill="{SKIN}" stroke="{SKIN_EDGE}"/>'
    )


def _held(suit: str, x: float, y: float) -> str:
    """Return the suit sign that a figure holds up."""
    return pip(suit, x, y - 8, 56) if suit in "ep" else pip(suit, x + 2, y + 1, 30)


FIGURES = {10: _sota, 11: _cavalo, 12: _rei}


# --- Cards --------------------------------------------------------------------------------------

_INSET, _GAP, _STEP = 6.5, 6.0, 13.0


def _frame(suit: str) -> str:
    """Return the line around the picture, interrupted above and below by the *pinta* of the suit."""
    left, right, top, bottom = _INSET, WIDTH - _INSET, _INSET, HEIGHT - _INSET
    count = PINTA[suit]
    middles = [WIDTH / 2 + (i - (count - 1) / 2) * _STEP for i in range(count)]
    edges = [left, *(x for middle in middles for x in (middle - _GAP / 2, middle + _GAP / 2)), right]
    lines = "".join(
        f"M{edges[i]:g} {y:g}L{edges[i + 1]:g} {y:g}" for y in (top, bottom) for i in range(0, len(edges), 2)
    )
    sides = f"M{left:g} {top:g}L{left:g} {bottom:g}M{right:g} {top:g}L{right:g} {bottom:g}"
    return f'<path d="{lines}{sides}" fill="none" stroke="{FRAME}" stroke-width="1.3" stroke-linecap="square"/>'


def _paper(fill: str) -> str:
    return (
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8" fill="{fill}"'
        ' stroke="#8c7a55" stroke-width="1"/>'
    )


def face(card: str) -> str:
    """Return the elements of a face-up card: `face("1e")`."""
    number, suit = int(card[:-1]), card[-1]
    if number in FIGURES:
        picture = f'<g transform="translate(2 6) scale(0.9)">{FIGURES[number](suit)}</g>'
    else:
        picture = _pips(number, suit)
    corner = (
        f'<text x="10" y="23" font-family="serif" font-weight="bold" font-size="15" fill="{SUIT_INK[suit]}">'
        f"{number}</text>"
    )
    turned = f'<g transform="rotate(180 {WIDTH / 2:g} {HEIGHT / 2:g})">{corner}</g>'
    return _paper(PAPER) + _frame(suit) + picture + corner + turned


def back() -> str:
    """Return the elements of a face-down card."""
    lattice = "".join(
        f"M{x} {y}l6.5 11l-6.5 11l-6.5-11Z" for x in (17.5, 30.5, 43.5, 56.5, 69.5, 82.5) for y in range(11, 133, 22)
    )
    return (
        _paper(PAPER)
        + f'<rect x="6.5" y="6.5" width="{WIDTH - 13}" height="{HEIGHT - 13}" rx="5" fill="#8f1f26"/>'
        + f'<path d="{lattice}" stroke="#e9b9a0" stroke-width="0.9" opacity="0.6" fill="none"/>'
        + f'<rect x="10.5" y="10.5" width="{WIDTH - 21}" height="{HEIGHT - 21}" rx="3" fill="none" stroke="#f3d9b8"/>'
        + '<circle cx="50" cy="77" r="20" fill="#8f1f26" stroke="#f3d9b8" stroke-width="1.4"/>'
        + f'<g transform="translate(50 77) scale(0.3)">{COIN}</g>'
    )


def card_title(card: str) -> str:
    """Return a card's name: `sota de ouros`, `7 de espadas`."""
    number = int(card[:-1])
    return f"{FIGURE_NAMES.get(number, number)} de {SUIT_NAMES[card[-1]]}"


def card_svg(card: str | None = None, width: int = 120) -> str:
    """Return one card as an SVG document; without a card, its back.

    >>> card_svg("1e").startswith("<svg")
    True
    """
    if card is not None and card not in CARDS:
        raise unknown("card", card, CARDS)
    title = "a card face down" if card is None else card_title(card)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{width}" role="img">'
        f"<title>{title}</title>{back() if card is None else face(card)}</svg>"
    )


def sprite() -> str:
    """Return all cards and suit signs as symbols of one SVG document, for the web pages."""
    signs = "".join(f'<g id="suit-{suit}">{sign}</g>' for suit, sign in SUITS.items())
    faces = {card: face(card).replace(SUITS[card[-1]], f'<use href="#suit-{card[-1]}"/>') for card in CARDS}
    symbols = "".join(
        f'<symbol id="card-{name}" viewBox="0 0 {WIDTH} {HEIGHT}">{inside}</symbol>'
        for name, inside in {**faces, "back": back().replace(COIN, '<use href="#suit-o"/>')}.items()
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg">{signs}{symbols}</svg>\n'
