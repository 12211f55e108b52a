"""Fair deals: the server binds itself to a secret, the players add numbers of theirs, and the deal is made of both.

Before anybody adds anything the server shows the SHA-256 of its secret, so it cannot choose the cards any
more; and since the players do not know the secret, neither can they.  When the secret is opened, whoever
has the record can deal again and compare.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from bolicho.errors import BadInput
from bolicho.games.game import Table
from bolicho.games.record import KEYS, replay, start

DEAL, LUCK = b"bolicho deal\0", b"bolicho luck\0"
SECRET, NONCE = 32, 16  # bytes


def new_secret() -> bytes:
    """What nobody can guess."""
    return secrets.token_bytes(SECRET)


def commitment(secret: bytes) -> str:
    """What the server shows before the deal."""
    return hashlib.sha256(secret).hexdigest()


def deal_seed(secret: bytes, nonces: Sequence[bytes | None]) -> int:
    """The seed of the deal: of the secret, and of what each seat added, in order; agents add nothing."""
    added = b"".join(b"\x01" + (nonce or b"") for nonce in nonces)
    return int.from_bytes(hashlib.sha256(DEAL + secret + added).digest()[:8])


def luck(secret: bytes) -> str:
    """What the agents' chance comes of: theirs alone, whatever the players add."""
    return hashlib.sha256(LUCK + secret).hexdigest()


def check_record(record: Mapping[str, Any]) -> list[str]:
    """What was checked of a record with a fair deal, in sentences; `BadInput` says what is wrong with it."""
    secret, nonces, commit = _promised(record)
    if commitment(secret) != commit:
        raise BadInput(
            f"the secret is not the one promised: its SHA-256 is {commitment(secret)}, "
            f"and {commit} was shown at the start"
        )
    seed = deal_seed(secret, nonces)
    if seed != record.get("seed"):
        raise BadInput(
            f"the deal was not made of secret and nonces: they give the seed {seed}, "
            f"and the record has {record.get('seed')}"
        )
    plain = plain_record(record)
    table = replay(plain)
    if len(nonces) != table.game.seats:
        raise BadInput(f"{table.game.name} has {table.game.seats} seats here, and there are {len(nonces)} nonces")
    shown = record.get("shown")
    if not isinstance(shown, dict) or set(shown) != {str(seat) for seat in range(table.game.seats)}:
        raise BadInput('a whole record says under "shown" which cards each seat held')
    _check_result(table, record.get("result"))
    return [
        f"the secret is the one promised: its SHA-256 is {commit}",
        f"secret and nonces give the seed {seed}, from which the record deals",
        f"{table.ply} actions are legal, one after the other, and end in the result that was told",
        *(_compare(plain, int(seat), cards, whole=True) for seat, cards in shown.items()),
    ]


def _promised(record: Mapping[str, Any]) -> tuple[bytes, list[bytes | None], str]:
    """Secret, nonces and commitment of a record."""
    fair = record.get("fair")
    if not isinstance(fair, dict) or not {"commit", "secret", "nonces"} <= set(fair):
        raise BadInput(
            'the record has no "fair" with commit, secret and nonces: only a whole record can be checked, '
            "which the table gives after the end where the players agreed"
        )
    try:
        secret = bytes.fromhex(fair["secret"])
        nonces = [None if nonce is None else bytes.fromhex(nonce) for nonce in fair["nonces"]]
    except (TypeError, ValueError):
        raise BadInput("secret and nonces are hexadecimal texts; an agent's nonce is null") from None
    if len(secret) != SECRET or any(nonce is not None and len(nonce) != NONCE for nonce in nonces):
        raise BadInput(f"a secret has {SECRET} bytes and a nonce {NONCE}, or bytes could move from one to the other")
    return secret, nonces, str(fair["commit"])


def plain_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record as `bolicho replay` reads it."""
    return {key: value for key, value in record.items() if key in KEYS}


def _check_result(table: Table, result: Any) -> None:
    """Refuse a result that the actions do not lead to."""
    if not isinstance(result, dict) or not {"scores", "winners", "claimed"} <= set(result):
        raise BadInput('a whole record has a "result" with scores, winners, and who has claimed the game')
    if result["claimed"] is None and not table.over:
        raise BadInput(f"the actions end at ply {table.ply}, where the game is not over, and nobody has claimed it")
    if result["scores"] != table.scores:
        raise BadInput(f"played again the scores are {table.scores}, and {result['scores']} was told")


def check_shown(record: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    """Compare what somebody was given during the game (the record of a seat, or of who watched) with a whole record."""
    if not {"seat", "log", "commit", "nonces"} <= set(part) or not isinstance(part["log"], list):
        raise BadInput('a seat\'s record has "seat", "log", "commit"; name the whole record first, then those of seats')
    for name in ("commit", "nonces"):
        if part[name] != record["fair"][name]:
            raise BadInput(f"the {name} that was shown then is {part[name]}, and the whole record has another")
    plain, seat = plain_record(record), part["seat"]
    table = replay(plain)
    who = "everybody" if seat is None else f"seat {table.game.seat(seat)}"
    view = table.public_view() if seat is None else table.view(seat)
    again = json.loads(json.dumps(view.history))
    for number, entry in enumerate(part["log"]):
        if number >= len(again) or entry != again[number]:
            now = again[number] if number < len(again) else "nothing"
            raise BadInput(f"{who} was told {entry} as entry {number} of the log, and played again it is {now}")
    told = f"{who} was told the same in all {len(part['log'])} entries of the log"
    return told if seat is None else f"{told}; {_compare(plain, seat, part.get('shown'))}"


def cards_shown(record: Mapping[str, Any], seat: int) -> list[Any]:
    """The cards a seat held, each time they changed: [[ply, [cards]], ...]."""
    table = start(record)
    shown: list[Any] = []
    for ply, action in enumerate([*record["actions"], None]):
        cards = table.view(seat).data()["table"]
        held = [card["card"] if isinstance(card, dict) else card for card in cards.get("cards", cards.get("hand", []))]
        if not shown or shown[-1][1] != held:
            shown.append([ply, held])
        if action is not None:
            table.play(action)
    return shown


def _compare(record: Mapping[str, Any], seat: int, shown: Any, whole: bool = False) -> str:
    again = cards_shown(record, seat)
    if not isinstance(shown, list) or not all(_is_moment(moment) for moment in shown):
        raise BadInput(f"what seat {seat} was shown is a list of [ply, [cards]]")
    for (ply, cards), (ply_again, cards_again) in zip(shown, again, strict=False):
        if (ply, cards) != (ply_again, cards_again):
            raise BadInput(
                f"seat {seat} was shown {' '.join(cards) or 'no cards'} at ply {ply}, "
                f"and dealt again it is {' '.join(cards_again) or 'no cards'} at ply {ply_again}"
            )
    if len(shown) > len(again) or (whole and len(shown) < len(again)):
        raise BadInput(f"the cards of seat {seat} changed {len(shown)} times, and dealt again {len(again)} times")
    count = sum(len(cards) for _, cards in shown)
    return (
        f"dealt again, seat {seat} holds the same cards at all {len(shown)} moments when they changed ({count} cards)"
    )


def _is_moment(moment: Any) -> bool:
    return (
        isinstance(moment, list)
        and len(moment) == 2
        and isinstance(moment[1], list)
        and all(isinstance(card, str) for card in moment[1])
    )
