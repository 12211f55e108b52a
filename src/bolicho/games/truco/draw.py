"""SVG drawing of a seat's view of Truco.

The viewing seat is at the bottom.  The drawing contains only the view's information: of the other hand the
number of cards, of a face-down card its back.
"""

from html import escape

from bolicho.games.game import ROW, View
from bolicho.games.truco.cards import HEIGHT, PAPER, WIDTH, back, card_svg, card_title, face
from bolicho.games.truco.lexicon import TRUCO_CALLS
from bolicho.games.truco.rules import CALLS
from bolicho.games.truco.state import Winner, begins
from bolicho.games.truco.text import NAMES, TrucoView, entry
from bolicho.i18n import catalogue as catalogue

__all__ = ["card_svg", "svg"]

TABLE_WIDTH, TABLE_HEIGHT = 1000, 720

CHALK, DIM_CHALK, GILT = "#f4efe0", "#b9c2b4", "#f3c13a"
FELT = (262, 126, 476, 400)  # x, y, width, height
COLUMNS = (356, 500, 644)  # the middle of each round's cards
ROWS = (145, 353)  # upper edges of the other seat's and the viewing seat's cards
SEAM = (ROWS[0] + HEIGHT + ROWS[1]) / 2  # between the two rows
MOST_TALLIES = 30  # points above which only the figure is drawn

SAYINGS = {call: catalogue("en").say(NAMES[call]) for call in CALLS}  # drawings are in English
WORTH = ("hand", *(SAYINGS[call] for call in TRUCO_CALLS))

MATE = (
    '<ellipse cx="42" cy="124" rx="44" ry="13" fill="#000" opacity="0.3"/>'
    '<path d="M64-14L40 44" stroke="#5f6468" stroke-width="6" stroke-linecap="round"/>'
    '<path d="M63-14L39 44" stroke="#d5d9dc" stroke-width="3.4" stroke-linecap="round"/>'
    '<path d="M64-14L72-22" stroke="#e8c65a" stroke-width="5" stroke-linecap="round"/>'
    '<path d="M10 34C12 56 2 62 0 86C-2 112 18 126 40 126C62 126 82 112 80 86C78 62 68 56 70 34Z" fill="#7a4523"'
    ' stroke="#3f2110" stroke-width="2"/>'
    '<path d="M56 40C58 60 66 66 67 88C67 106 56 118 44 123C64 122 80 110 78 86C76 64 66 58 68 38Z" fill="#5b3117"/>'
    '<path d="M14 70C8 78 7 92 11 102" fill="none" stroke="#b07a4a" stroke-width="4" stroke-linecap="round"/>'
    '<ellipse cx="40" cy="34" rx="31" ry="10" fill="#cfd4d8" stroke="#5f6468" stroke-width="2"/>'
    '<ellipse cx="40" cy="34" rx="25" ry="7" fill="#6f8f3a"/><path d="M18 34Q28 24 44 29Q34 34 36 40Q24 41 18 34Z"'
    ' fill="#8fb04c"/><path d="M46 30L39 42" stroke="#d5d9dc" stroke-width="3.4" stroke-linecap="round"/>'
)
"""A gourd of mate, as decoration."""


def svg(view: View) -> str:
    """Return a drawing of a view: the played cards by round, the seat's own hand, calls and scores."""
    assert isinstance(view, TrucoView)
    me = view.seat
    parts = [
        _table(),
        _board(view),
        _worth(view),
        _talk(view),
        _backs(view.table.counts[1 - me]),
        _fan(view.cards),
        *(_round(view, number) for number in range(3)),
        _place(view, 1 - me, 690, 66),
        _place(view, me, 716, 640),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {TABLE_WIDTH} {TABLE_HEIGHT}" width="{TABLE_WIDTH}"'
        f' height="{TABLE_HEIGHT}" style="max-width:100%;height:auto" role="img" font-family="serif">'
        f"<title>{escape(_title(view))}</title>{''.join(parts)}</svg>"
    )


# --- Small pieces -------------------------------------------------------------------------------


def _text(
    x: float, y: float, words: str, size: float, fill: str = CHALK, anchor: str = "middle", more: str = ""
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"{more}>'
        f"{escape(words)}</text>"
    )


def _at(x: float, y: float, inside: str, turn: float = 0, scale: float = 1) -> str:
    """Return `inside` with its upper left corner at (x, y), turned about the lower middle of a card."""
    turned = f" rotate({turn:g} {WIDTH / 2:g} {HEIGHT:g})" if turn else ""
    scaled = f" scale({scale:g})" if scale != 1 else ""
    return f'<g transform="translate({x:g} {y:g}){scaled}{turned}">{inside}</g>'


def _shadow(x: float = 3, y: float = 4) -> str:
    return f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#000" opacity="0.28"/>'


def _card(inside: str, title: str) -> str:
    return f"<g><title>{escape(title)}</title>{_shadow()}{inside}</g>"


def _who(view: TrucoView, seat: int) -> str:
    return "you" if seat == view.seat else "the other"


def _title(view: TrucoView) -> str:
    points = view.fields.scores
    return (
        f"Truco as seat {view.seat} sees it: {_stage(view)}, {points[view.seat]} to {points[1 - view.seat]}"
        f" of {view.fields.target}"
    )


def _stage(view: TrucoView) -> str:
    return "over" if view.over else f"hand {view.table.hand}"


# --- The table ----------------------------------------------------------------------------------


def _table() -> str:
    """Return the background: wooden planks, and a green cloth for the played cards."""
    tones = ("#8a5a34", "#835430", "#8f5f38", "#80522f", "#8b5b35", "#86572f")
    plank = TABLE_HEIGHT / len(tones)
    planks = "".join(
        f'<rect y="{i * plank:g}" width="{TABLE_WIDTH}" height="{plank:g}" fill="{tone}"/>'
        f'<path d="M0 {i * plank:g}H{TABLE_WIDTH}" stroke="#4d3019" stroke-width="2" opacity="0.7"/>'
        f'<path d="M0 {(i + 0.3) * plank:g}Q260 {(i + 0.2) * plank:g} 520 {(i + 0.34) * plank:g}T{TABLE_WIDTH}'
        f" {(i + 0.28) * plank:g}M0 {(i + 0.68) * plank:g}Q300 {(i + 0.78) * plank:g} 640 {(i + 0.66) * plank:g}"
        f'T{TABLE_WIDTH} {(i + 0.72) * plank:g}" fill="none" stroke="#5f3d20" stroke-width="1.2" opacity="0.45"/>'
        for i, tone in enumerate(tones)
    )
    x, y, width, height = FELT
    light = "".join(
        f'<ellipse cx="{x + width / 2:g}" cy="{y + height / 2:g}" rx="{width * part:g}" ry="{height * part:g}"'
        ' fill="#58a076" opacity="0.1"/>'
        for part in (0.47, 0.41, 0.35, 0.29, 0.23, 0.17)
    )
    cloth = (
        f'<rect x="{x + 4}" y="{y + 6}" width="{width}" height="{height}" rx="26" fill="#000" opacity="0.3"/>'
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="26" fill="#2c6a48"/>{light}'
        f'<rect x="{x + 7}" y="{y + 7}" width="{width - 14}" height="{height - 14}" rx="20" fill="none"'
        ' stroke="#d9c48a" stroke-width="1.6" stroke-dasharray="7 5" opacity="0.75"/>'
    )
    return (
        f'<rect width="{TABLE_WIDTH}" height="{TABLE_HEIGHT}" rx="18" fill="#4d3019"/>'
        f"{planks}{cloth}{_at(858, 548, MATE)}"
        f'<rect x="3" y="3" width="{TABLE_WIDTH - 6}" height="{TABLE_HEIGHT - 6}" rx="16" fill="none" stroke="#3a2311"'
        ' stroke-width="6"/>'
    )


def _panel(x: float, y: float, width: float, height: float) -> str:
    """Return a slate in a wooden frame."""
    return (
        f'<rect x="{x + 3:g}" y="{y + 5:g}" width="{width:g}" height="{height:g}" rx="10" fill="#000" opacity="0.3"/>'
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="10" fill="#b58450" stroke="#5b3a1c"'
        ' stroke-width="1.5"/>'
        f'<rect x="{x + 8:g}" y="{y + 8:g}" width="{width - 16:g}" height="{height - 16:g}" rx="5" fill="#2a332f"'
        ' stroke="#171d1a" stroke-width="1.5"/>'
    )


# --- Scores, worth, talk ------------------------------------------------------------------------


def _board(view: TrucoView) -> str:
    """Return the score slate: figures, and tallies in groups of five."""
    target = view.fields.target
    parts = [
        _panel(24, 100, 214, 322),
        _text(131, 136, "truco", 22, GILT, more=' font-style="italic" letter-spacing="3"'),
        _text(131, 156, f"{_stage(view)}, to {target} points", 13, DIM_CHALK),
        f'<path d="M44 168H218M44 292H218" stroke="{DIM_CHALK}" stroke-width="1" opacity="0.6"/>',
    ]
    for seat, top in ((1 - view.seat, 176), (view.seat, 300)):
        points = view.fields.scores[seat]
        won = points >= target
        parts += [
            _text(46, top + 22, _who(view, seat), 16, anchor="start"),
            _text(216, top + 30, str(points), 34, GILT if won else CHALK, "end", ' font-weight="bold"'),
            _tallies(points, 48, top + 44) if target <= MOST_TALLIES else "",
        ]
    return "".join(parts)


def _tallies(points: int, x: float, y: float) -> str:
    """Return tally marks: four sides of a square and its diagonal make five."""
    strokes = ("M0 0V20", "M0 0H20", "M20 0V20", "M0 20H20", "M0 20L20 0")
    path = "".join(
        f'<path transform="translate({x + (i % 5) * 34:g} {y + (i // 5) * 32:g})"'
        f' d="{"".join(strokes[: min(5, points - 5 * i)])}"/>'
        for i in range((min(points, 50) + 4) // 5)
    )
    return f'<g fill="none" stroke="{CHALK}" stroke-width="2.6" stroke-linecap="round">{path}</g>'


def _worth(view: TrucoView) -> str:
    """Return the current worth of the hand, as a coin."""
    level, called = view.fields.level, view.fields.called
    coin = (
        f'<circle r="49" fill="{GILT}" stroke="#a8701a" stroke-width="3"/>'
        '<circle r="40" fill="#fbe08a" stroke="#a8701a"/>'
    )
    words = f"{WORTH[called]}?" if called > level else WORTH[level]
    return (
        _text(131, 452, "the hand is worth", 15)
        + f'<g transform="translate(131 518)"><ellipse cx="3" cy="7" rx="49" ry="49" fill="#000" opacity="0.3"/>{coin}'
        f'<circle r="44.5" fill="none" stroke="#a8701a" stroke-width="2" stroke-dasharray="2 4"/>'
        + _text(0, 17, str(1 + level), 50, "#7a4a12", more=' font-weight="bold"')
        + "</g>"
        + _text(131, 594, words, 18, CHALK, more=' font-style="italic"')
    )


def _talk(view: TrucoView) -> str:
    """Return the calls and points of this hand, oldest first."""
    parts = [
        _panel(762, 100, 214, 400),
        _text(780, 132, "the other", 14, "#9fd0e8", "start"),
        _text(958, 132, "you", 14, anchor="end"),
        f'<path d="M780 142H958" stroke="{DIM_CHALK}" stroke-width="1" opacity="0.6"/>',
    ]
    lines = _said(view)
    step = min(24.0, 332 / max(1, len(lines)))
    for i, (seat, words, is_score) in enumerate(lines):
        mine = seat == view.seat
        y = 166 + i * step
        fill = GILT if is_score else CHALK if mine else "#9fd0e8"
        more = ' font-style="italic"' if is_score else ""
        parts.append(_text(780 if not mine else 958, y, words, 15, fill, "start" if not mine else "end", more))
    if not lines:
        parts.append(_text(869, 168, "nothing said yet", 14, DIM_CHALK, more=' font-style="italic"'))
    return "".join(parts)


def _said(view: TrucoView) -> list[tuple[int, str, bool]]:
    """Return (seat, words, whether it is a score) for this hand's events in the view."""
    said: list[tuple[int, str, bool]] = []
    for row in view.rows[begins(view._log)[0] // ROW :]:
        match entry(row):
            case {"event": "flor", "seat": seat}:
                said.append((seat, "flor!", False))
            case {"event": "chose", "seat": seat, "action": str(call)} if call in CALLS:
                said.append((seat, SAYINGS[call], False))
            case {"event": "shown", "seat": seat, **shown}:
                said.append((seat, f"{shown.get('envido', shown.get('flor'))} points", False))
            case {"event": "points", "seat": seat, "points": points}:
                said.append((seat, f"+{points}", True))
    return said


# --- Cards --------------------------------------------------------------------------------------


def _backs(count: int) -> str:
    """Return the other hand as card backs."""
    scale = 0.6
    spread = [(i - (count - 1) / 2) for i in range(count)]
    return "".join(
        _at(500 - WIDTH * scale / 2 + place * 44, 14 + abs(place) * 4, _shadow() + back(), -9 * place, scale)
        for place in spread
    )


def _fan(cards: list[str]) -> str:
    """Return the seat's own hand as a fan."""
    spread = [(i - (len(cards) - 1) / 2) for i in range(len(cards))]
    return "".join(
        _at(500 - WIDTH / 2 + place * 78, 542 + abs(place) * 7, _card(face(card), card_title(card)), 9 * place)
        for place, card in zip(spread, cards, strict=True)
    )


def _round(view: TrucoView, number: int) -> str:
    """Return the two cards of a round, the winner's with a golden edge, and the winner's mark between them."""
    x, me = COLUMNS[number] - WIDTH / 2, view.seat
    winner = view.table.winners[number]
    parts = []
    for seat, y in ((1 - me, ROWS[0]), (me, ROWS[1])):
        card = view.fields.played[seat][number]
        if card is None:
            parts.append(
                f'<rect x="{x:g}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#1f5236" opacity="0.45"'
                ' stroke="#cfe3d2" stroke-width="1.2" stroke-dasharray="4 5"/>'
            )
            continue
        if seat == winner:
            parts.append(
                f'<rect x="{x - 4:g}" y="{y - 4}" width="{WIDTH + 8}" height="{HEIGHT + 8}" rx="11" fill="{GILT}"/>'
            )
        parts.append(_at(x, y, _lying(card, seat == me)))
        if winner in (0, 1) and seat != winner:
            parts.append(
                f'<rect x="{x:g}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#10301f" opacity="0.28"/>'
            )
    return "".join(parts) + _verdict(COLUMNS[number], winner, me, number == view.fields.round, number)


def _lying(card: str, mine: bool) -> str:
    """Return a card on the table; a face-down card is marked for its own seat only."""
    if not card.startswith("virada"):
        return _card(face(card), card_title(card))
    if not mine:
        return _card(back(), "a card face down")
    text = card.removeprefix("virada ")
    mark = f'<rect x="29" y="118" width="42" height="20" rx="10" fill="{PAPER}"/>' + _text(50, 133, text, 14, "#8f1f26")
    return _card(back() + mark, f"{card_title(text)}, face down")


def _verdict(x: float, winner: Winner, me: int, is_now: bool, number: int) -> str:
    """Return the mark between the cards of a round: an arrow to its winner, or a tie."""
    if winner is None:
        return _text(x, SEAM + 5, f"round {number + 1}", 14, CHALK if is_now else "#9fc3ad")
    if winner == "tie":
        return _text(x, SEAM + 5, "parda", 15, GILT, more=' font-style="italic"')
    tip, base = (11, -7) if winner == me else (-11, 7)
    return (
        f'<path d="M{x - 13:g} {SEAM + base:g}L{x + 13:g} {SEAM + base:g}L{x:g} {SEAM + tip:g}Z" fill="{GILT}"'
        ' stroke="#7a4a12" stroke-width="1.2" stroke-linejoin="round"/>'
    )


def _place(view: TrucoView, seat: int, x: float, y: float) -> str:
    """Return the labels beside a seat's hand: its name, mão, and turn."""
    acts = view.turn == seat
    words = f"{_who(view, seat)} to act" if acts else _who(view, seat)
    parts = [_text(x, y, words, 17, GILT if acts else CHALK, "start")]
    if acts:
        parts.append(f'<circle cx="{x - 12:g}" cy="{y - 5:g}" r="5" fill="{GILT}" stroke="#7a4a12"/>')
    if view.mao == seat:
        parts.append(
            f'<rect x="{x:g}" y="{y - 44:g}" width="54" height="24" rx="12" fill="{GILT}" stroke="#7a4a12"/>'
            + _text(x + 27, y - 27, "mão", 15, "#5a3510", more=' font-weight="bold"')
        )
    return "".join(parts)
