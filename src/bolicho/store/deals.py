"""Deal of a stored match: its terms, and the seed derived from secret, nonces and terms (`web/fair_deals.py`)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # records are verified without a database
    from bolicho.store.database import MatchRow, SeatRow

DEAL, DEAL_1 = b"bolicho deal 2\0", b"bolicho deal\0"
COVERED = ("match", "game", "rules", "agents")
"""Facts that are known when a match is created, and covered by the server's commitment."""

Terms = Mapping[str, Any]
"""Match, game, rules, agents (by seat; null for a person or a bot) and players (names by seat) of a deal."""


def deal_seed(secret: bytes, nonces: Sequence[bytes | None], terms: Terms | None) -> int:
    """Return the seed of the deal; without terms as in version 1."""
    if terms is None:
        data = DEAL_1 + secret + b"".join(b"\x01" + (nonce or b"") for nonce in nonces)
    else:
        covered = {name: terms[name] for name in (*COVERED, "players")}
        data = DEAL + secret + canonical({**covered, "nonces": [hex_of(nonce) for nonce in nonces]})
    return int.from_bytes(hashlib.sha256(data).digest()[:8])


def seed_of(row: "MatchRow", sitting: "Sequence[SeatRow]", rules: Mapping[str, Any]) -> int:
    """Return the seed of a match that was dealt; `rules` are all options of its game."""
    terms = None if row.fair_version == 1 else terms_of(row, sitting, rules)
    return deal_seed(row.secret, [seat.nonce for seat in sitting], terms)


def terms_of(row: "MatchRow", sitting: "Sequence[SeatRow]", rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a match that the deal depends on."""
    agents = [agent_shown(row, seat) for seat in sitting]
    about = {"match": row.id, "game": row.game, "rules": dict(rules)}
    return {**about, "agents": agents, "players": [seat.name for seat in sitting]}


def agent_shown(row: "MatchRow", seat: "SeatRow") -> str | bool | None:
    """Return the agent of a seat, None for a person; in a neutral match only that there is one."""
    return seat.agent if seat.agent is None or not row.options.get("neutral") else True


def canonical(value: Any) -> bytes:
    """Return JSON in ASCII with sorted keys and no spaces, so that equal values give equal bytes in every language."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def hex_of(data: bytes | None) -> str | None:
    """Return bytes as hexadecimal text; None stays None."""
    return None if data is None else data.hex()
