"""Fair deals: the server binds itself to a secret, the players add numbers of theirs, and the deal is made of both.

Before anybody adds anything the server shows the SHA-256 of its secret, so it cannot choose the cards any
more; and since the players do not know the secret, neither can they.  When the secret is opened, whoever
has the record can deal again and compare.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from bolicho.errors import BadInput
from bolicho.games.record import KEYS, replay, start

DEAL, LUCK = b"bolicho deal\0", b"bolicho luck\0"
NONCE = 16  # bytes


def new_secret() -> bytes:
    """What nobody can guess."""
    return secrets.token_bytes(32)


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
    if not hmac.compare_digest(commitment(secret), str(fair["commit"])):
        raise BadInput(
            f"the secret is not the one promised: its SHA-256 is {commitment(secret)}, "
            f"and {fair['commit']} was shown at the start"
        )
    seed = deal_seed(secret, nonces)
    if seed != record.get("seed"):
        raise BadInput(
            f"the deal was not made of secret and nonces: they give the seed {seed}, "
            f"and the record has {record.get('seed')}"
        )
    plain = {key: value for key, value in record.items() if key in KEYS}
    table = replay(plain)
    return [
        f"the secret is the one promised: its SHA-256 is {fair['commit']}",
        f"secret and nonces give the seed {seed}, from which the record deals",
        f"{table.ply} actions are legal, one after the other" + (", and the game is over" if table.over else ""),
        *(_compare(plain, int(seat), cards) for seat, cards in record.get("shown", {}).items()),
    ]


def check_shown(record: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    """Compare what a seat was given during the game (its own record) with a whole record."""
    if "seat" not in part or "shown" not in part:
        raise BadInput('a seat\'s record has "seat" and "shown"; name the whole record first, then those of seats')
    return _compare({key: value for key, value in record.items() if key in KEYS}, int(part["seat"]), part["shown"])


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


def _compare(record: Mapping[str, Any], seat: int, shown: list[Any]) -> str:
    again = cards_shown(record, seat)
    for (ply, cards), (ply_again, cards_again) in zip(shown, again, strict=False):
        if (ply, cards) != (ply_again, cards_again):
            raise BadInput(
                f"seat {seat} was shown {' '.join(cards) or 'no cards'} at ply {ply}, "
                f"and dealt again it is {' '.join(cards_again) or 'no cards'} at ply {ply_again}"
            )
    count = sum(len(cards) for _, cards in shown)
    return (
        f"dealt again, seat {seat} holds the same cards at all {len(shown)} moments when they changed ({count} cards)"
    )
