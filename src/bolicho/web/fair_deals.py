"""Fair deals: commitments of server and players, the seed derived from both, and the check of a record.

Version 2 of the protocol, in this order:

1. The server draws a secret and shows its commitment to secret, match, game, rules and agents.
2. Each seat sends the SHA-256 of a nonce when it is taken.
3. When all seats are taken, all commitments are shown, and each seat reveals its nonce.
4. The seed of the deal is a hash of the secret, all nonces and the players' names.

The secret is shown after the end.  A seat that draws its own nonce, and keeps what it was shown before step 3,
can check that the deal was not chosen, neither by the server nor by the server together with all other seats.
In version 1 seats sent their nonces when they were taken, so the last seat could choose its own with the server's
help, and names and rules were not covered.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bolicho.errors import BadInput
from bolicho.games.game import Table
from bolicho.games.record import KEYS, replay, start
from bolicho.store.deals import COVERED, Terms, canonical, deal_seed, hex_of
from bolicho.web.endings import describe_ending, read_ending

VERSION = 2
COMMIT, LUCK = b"bolicho commit 2\0", b"bolicho luck\0"
SECRET, NONCE = 32, 16  # bytes


def new_secret() -> bytes:
    """Draw a secret."""
    return secrets.token_bytes(SECRET)


def commitment(secret: bytes, terms: Terms | None) -> str:
    """Return the server's commitment; without terms as in version 1."""
    if terms is None:
        return hashlib.sha256(secret).hexdigest()
    return hashlib.sha256(COMMIT + secret + canonical({name: terms[name] for name in COVERED})).hexdigest()


def nonce_commitment(nonce: bytes) -> bytes:
    """Return the commitment to a nonce."""
    return hashlib.sha256(nonce).digest()


def luck(secret: bytes) -> str:
    """Return the seed text of the agents' random numbers, which does not depend on the nonces."""
    return hashlib.sha256(LUCK + secret).hexdigest()


# --- Checking a record ----------------------------------------------------------------------------


@dataclass(frozen=True)
class FairDeal:
    """Deal of a whole record."""

    secret: bytes
    commit: str
    nonces: list[bytes | None]
    nonce_commits: list[bytes | None]
    terms: Terms | None  # None: version 1


def check_record(record: Mapping[str, Any]) -> list[str]:
    """Check a whole record and return the list of checks, in sentences; raise `BadInput` if one fails."""
    deal = _deal(record)
    is_old = deal.terms is None
    covered = "the secret" if is_old else "secret, match, game, rules and agents"
    if (commit := commitment(deal.secret, deal.terms)) != deal.commit:
        raise BadInput(
            f"{covered} {'does' if is_old else 'do'} not give the commitment that was promised: "
            f"{'it gives' if is_old else 'they give'} {commit}, and {deal.commit} was shown at the start"
        )
    revealed = _check_nonces(deal)
    seed = deal_seed(deal.secret, deal.nonces, deal.terms)
    sources = "secret and nonces" if is_old else "secret, nonces, names, match, game, rules and agents"
    if type(record.get("seed")) is not int or seed != record["seed"]:
        raise BadInput(
            f"the deal was not made of {sources}: they give the seed {seed}, and the record has {record.get('seed')}"
        )
    plain = plain_record(record)
    table = replay(plain)
    seats = table.game.seats
    for name, found in (("nonces", deal.nonces), ("agents", seats_of(deal.terms, "agents", seats))):
        if len(found) != seats:
            raise BadInput(f"{table.game.name} has {seats} seats here, and there are {len(found)} {name}")
    shown = record.get("shown")
    if not isinstance(shown, dict) or set(shown) != {str(seat) for seat in range(seats)}:
        raise BadInput('a whole record says under "shown" which cards each seat held')
    return [
        f"{covered} {'gives' if is_old else 'give'} the commitment that was promised: {deal.commit}",
        revealed,
        f"{sources} give the seed {seed}, from which the record deals",
        f"{table.ply} actions are legal, one after the other, and lead to the scores {table.scores}",
        _check_result(table, record.get("result"), deal.terms),
        *(_compare(plain, int(seat), cards, whole=True) for seat, cards in shown.items()),
    ]


def unchecked(record: Mapping[str, Any]) -> list[str]:
    """Return the facts that `check_record` cannot prove, in sentences."""
    deal, result = _deal(record), record["result"]
    lines = []
    if deal.terms is None:
        lines.append(
            "names, agents and number of people, and rules that do not change the play: version 1 does not cover them"
        )
    else:
        lines.append("whether the commitments were shown before the nonces: only data that a seat kept can prove it")
        people = [seat for seat, agent in enumerate(deal.terms["agents"]) if agent is None]
        if bare := [seat for seat in people if deal.nonces[seat] is None]:
            lines.append(f"the deal as {_seats(bare)} saw it: a seat without its own nonce must trust the others")
    if result.get("forfeit") is not None:
        lines.append(f"the reason why seat {result['forfeit']} forfeited, and when")
    elif result["claimed"] is not None:
        lines.append("the time of the claim: whether the seat to act had been away or was out of time")
    elif result.get("ended") is not None:
        lines.append("whether people resigned or agreed to stop: only they know")
    lines.append("the decisions of agents, and whether a player learned of hidden cards")
    lines += [f"the field {name!r} of the result" for name in sorted(set(result) - RESULT)]
    return lines


RESULT = {"scores", "winners", "claimed", "forfeit", "ended", "by", "people"}
"""Fields of a result that are checked."""


def _seats(seats: Sequence[int]) -> str:
    return f"seat{'s' * (len(seats) > 1)} {', '.join(map(str, seats))}"


def seats_of(terms: Terms | None, name: str, seats: int) -> list[Any]:
    """Return a list of the terms, with an entry for each seat; version 1 has only None."""
    return [None] * seats if terms is None else terms[name]


def _deal(record: Mapping[str, Any]) -> FairDeal:
    """Read secret, commitments, nonces and terms of a record."""
    fair = record.get("fair")
    if not isinstance(fair, dict) or not {"commit", "secret", "nonces"} <= set(fair):
        raise BadInput(
            'the record has no "fair" with commit, secret and nonces: only a whole record can be checked, '
            "which the server gives after the end if the players agreed"
        )
    version = fair.get("version", 1)
    if type(version) is not int or version not in (1, VERSION):
        raise BadInput(f"the deal is of version {version!r}, and this program reads 1 and {VERSION}")
    secret, nonces = _unhex([fair["secret"]], "secret", SECRET)[0], _unhex(fair["nonces"], "nonce", NONCE)
    if secret is None:
        raise BadInput("a secret is a hexadecimal text, not null")
    if version == 1:
        return FairDeal(secret, str(fair["commit"]), nonces, [None] * len(nonces), None)
    commits = _unhex(fair.get("nonce_commits"), "nonce commitment", hashlib.sha256().digest_size)
    terms = {name: record.get(name) for name in (*COVERED, "players")}
    terms["rules"] = record.get("rules", {})
    if not isinstance(terms["agents"], list) or not isinstance(terms["match"], str):
        raise BadInput('a whole record names its "match" and has under "agents" an agent or null for each seat')
    return FairDeal(secret, str(fair["commit"]), nonces, commits, terms)


def _unhex(texts: Any, name: str, size: int) -> list[bytes | None]:
    """Read a list of hexadecimal texts, each of that many bytes, or null."""
    try:
        found = [None if text is None else bytes.fromhex(text) for text in texts]
    except (TypeError, ValueError):
        raise BadInput(f"each {name} is a hexadecimal text; that of a seat that has none is null") from None
    if not isinstance(texts, list) or any(data is not None and len(data) != size for data in found):
        raise BadInput(f"a {name} has {size} bytes, so that no byte can move from one to the other")
    return found


def _check_nonces(deal: FairDeal) -> str:
    """Compare the nonces with the commitments to them."""
    added = [seat for seat, nonce in enumerate(deal.nonces) if nonce is not None]
    if not added:
        return "no seat added a nonce: the server alone determined the deal"
    if deal.terms is None:
        return (
            f"{_seats(added)} added nonces, which were not committed to (version 1): the last seat could choose its own"
        )
    if len(deal.nonce_commits) != len(deal.nonces):
        raise BadInput(f"there are {len(deal.nonces)} nonces and {len(deal.nonce_commits)} commitments to nonces")
    for seat, (nonce, commit) in enumerate(zip(deal.nonces, deal.nonce_commits, strict=True)):
        made = None if nonce is None else nonce_commitment(nonce)
        if made != commit:
            raise BadInput(
                f"the nonce of seat {seat} is not the one it committed to: its SHA-256 is {hex_of(made)}, "
                f"and {hex_of(commit)} was shown"
            )
    return f"the nonces of {_seats(added)} are those that were committed to"


def plain_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that `bolicho replay` reads."""
    return {key: value for key, value in record.items() if key in KEYS}


def _check_result(table: Table, result: Any, terms: Terms | None) -> str:
    """Check that the actions lead to the result; return what was checked."""
    if not isinstance(result, dict) or not {"scores", "winners", "claimed", "people"} <= set(result):
        raise BadInput('a whole record has a "result" with scores, winners, claimed and people')
    seats = table.game.seats
    ending = read_ending(table, result, seats_of(terms, "agents", seats))
    winners, how = ending.winners(table), describe_ending(ending, table)
    if not result["winners"] and ending.way == "played" and len(set(table.payoffs)) == 1:
        winners = []  # up to version 0.3.0 nobody won with equal payoffs
    expected = {"scores": table.scores, "winners": winners}
    if terms is not None:
        expected["people"] = terms["agents"].count(None)
    for name, value in expected.items():
        if canonical(result[name]) != canonical(value):
            raise BadInput(f"the replay gives {value} as {name} of the result, and the record has {result[name]}")
    return f"{how}: {_seats(winners) if winners else 'no seat'} won"


SHOWN_BEFORE = ("match", "game", "rules", "players", "agents", "version", "commit", "nonce_commits", "nonces")
"""Facts of a deal that a seat is shown; a kept copy must equal those of the whole record."""


def check_shown(record: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    """Compare data kept during a match with the whole record.

    It is the record of a seat or a spectator, or what a seat was shown before it revealed its nonce.
    """
    needed = {"seat", "commit", "nonces" if "log" in part else "nonce_commits"}
    if not needed <= set(part) or not isinstance(part.get("log", []), list):
        raise BadInput('a seat\'s record has "seat", "log", "commit"; name the whole record first, then those of seats')
    whole = {"rules": {}, "version": 1, **record, **record["fair"]}
    kept = [name for name in SHOWN_BEFORE if name in part and name in whole]
    for name in kept:
        if canonical(part[name]) != canonical(whole[name]):
            raise BadInput(f"the {name} that was shown then is {part[name]}, and the whole record has {whole[name]}")
    if "log" not in part:
        return f"what was kept before the deal is the same: {', '.join(kept)}"
    plain, seat = plain_record(record), part["seat"]
    table = replay(plain)
    who = "everybody" if seat is None else f"seat {table.game.seat(seat)}"
    view = table.public_view() if seat is None else table.view(seat)
    again = json.loads(json.dumps(view.history))
    for number, entry in enumerate(part["log"]):
        if number >= len(again) or entry != again[number]:
            now = again[number] if number < len(again) else "nothing"
            raise BadInput(f"{who} was shown {entry} as entry {number} of the log, and the replay gives {now}")
    told = f"{who} was shown the same in all {len(part['log'])} entries of the log"
    return told if seat is None else f"{told}; {_compare(plain, seat, part.get('shown'))}"


def cards_shown(record: Mapping[str, Any], seat: int) -> list[Any]:
    """Return the cards of a seat, each time they changed: [[ply, [cards]], ...]."""
    table = start(record)
    shown: list[Any] = []
    for ply, action in enumerate([*record["actions"], None]):
        held = _held(table.view(seat).data()["table"])
        if not shown or shown[-1][1] != held:
            shown.append([ply, held])
        if action is not None:
            table.play(action)
    return shown


def _held(table: Mapping[str, Any]) -> list[str]:
    """Return the cards of a view's JSON as texts; none if the game has no list of cards there."""
    cards = table.get("cards", table.get("hand"))
    known = [card for card in cards if card is not None] if isinstance(cards, list) else []
    return [str(card["card"] if isinstance(card, dict) and "card" in card else card) for card in known]


def _compare(record: Mapping[str, Any], seat: int, shown: Any, whole: bool = False) -> str:
    again = cards_shown(record, seat)
    if not isinstance(shown, list) or not all(_is_moment(moment) for moment in shown):
        raise BadInput(f"the cards shown to seat {seat} must be a list of [ply, [cards]]")
    for (ply, cards), (ply_again, cards_again) in zip(shown, again, strict=False):
        if (ply, cards) != (ply_again, cards_again):
            raise BadInput(
                f"seat {seat} was shown {' '.join(cards) or 'no cards'} at ply {ply}, "
                f"and the replay gives {' '.join(cards_again) or 'no cards'} at ply {ply_again}"
            )
    if len(shown) > len(again) or (whole and len(shown) < len(again)):
        raise BadInput(f"the cards of seat {seat} changed {len(shown)} times, and in the replay {len(again)} times")
    count = sum(len(cards) for _, cards in shown)
    return (
        f"in the replay seat {seat} holds the same cards at all {len(shown)} moments when they changed ({count} cards)"
    )


def _is_moment(moment: Any) -> bool:
    return (
        isinstance(moment, list)
        and len(moment) == 2
        and isinstance(moment[1], list)
        and all(isinstance(card, str) for card in moment[1])
    )
