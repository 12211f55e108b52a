"""Claims against a player whose time is up."""

from bolicho.store.database import MatchRow, SeatRow
from bolicho.web.match import Match


def test_claim_is_possible_at_every_moment_after_the_time_is_up():
    options = {"clock": {"seconds": 5, "plus": 0}}
    sitting = [SeatRow(seat, name, token=b"", nonce=b"", seen=0.0) for seat, name in enumerate(["Ana", "Beto"])]
    match = Match(MatchRow("match", "truco", {}, options, b"secret", 0.0, dealt=1000.0), sitting)
    slow = match.table.turn
    for hundredths in range(50):
        now = 1005.0 + hundredths / 100
        match.sitting[slow] = SeatRow(slow, "Ana", token=b"", nonce=b"", seen=now, here=True)
        assert match.claim(now)["late"] == slow
        match.check_claim(1 - slow, now)
