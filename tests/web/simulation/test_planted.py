"""Bugs planted in the shipped code: the simulation finds each within a few seeds."""

from contextlib import suppress

import pytest

from bolicho.store import database
from bolicho.web import connections, match, requests
from bolicho.web.refusal import Refusal
from bolicho.web.simulation.run import simulate_many
from bolicho.web.transactions import Transaction, TransactionThread

SEEDS = 500  # limit for finding a bug


def found(first, *sentences):
    """Run seeds until one fails, beginning with `first`, and check the reason."""
    for outcome in simulate_many([*range(first, SEEDS), *range(first)]):
        if outcome.failure is not None:
            assert outcome.failure.startswith(sentences), outcome
            return outcome.seed
    raise AssertionError(f"not found within {SEEDS} seeds")


def test_response_sent_before_its_commit_is_found(monkeypatch):
    def early(transactions, together):
        """Run the same transaction, and deliver its results before the commit."""
        transactions._connection = transactions._connection or transactions.engine.connect()
        recorder = transactions._recorder
        transaction = Transaction(
            transactions._connection,
            transactions._matches,
            transactions._agent_pool,
            transactions._connections,
            recorder.note(),
            recorder.uptime,
        )
        with transactions._connection.begin():
            outcomes = []
            for request, then in together:
                try:
                    outcomes.append((then, request(transaction), None))
                except Refusal as refusal:
                    outcomes.append((then, None, refusal))
            transaction.write_moves()
            if transaction.changed():
                transactions._notify(transactions._notifications(transaction))
            transactions._loop.call_soon_threadsafe(transactions._deliver, outcomes, transaction.news())
        return [], []

    def forgetful(transactions, together):
        try:
            return early(transactions, together)
        except BaseException:
            transactions._matches.clear()
            transactions._connection.close()
            transactions._connection = None
            raise

    monkeypatch.setattr(TransactionThread, "_transaction", forgetful)
    kinds = (
        "an answer before its commit",
        "an acknowledged move is not written",
        "an acknowledged nonce is not written",
    )
    found(8, *kinds, "a message says over before the match has ended")


def test_overwritten_ply_is_found(monkeypatch):
    def overwriting(connection, rows):
        connection.exec_driver_sql(database._ADD["qmark"].replace("INSERT", "INSERT OR REPLACE"), list(rows))

    monkeypatch.setattr(database, "add_moves", overwriting)
    found(12, "a move that was written changes", "memory differs from the rows", "a view differs from the rows")


def test_claim_without_its_countdown_is_found(monkeypatch):
    def hasty(self, seat, now):
        if self.claim(now) is None or self.claim(now)["late"] == seat:
            raise Refusal(409, requests.Message("server.no-claim"))

    monkeypatch.setattr(match.Match, "check_claim", hasty)
    found(10, "a claim before its time")


def test_memory_kept_after_a_failed_commit_is_found(monkeypatch):
    monkeypatch.setattr(Transaction, "forget", lambda transaction: None)
    found(
        8,
        "memory is ahead",
        "memory differs",
        "a message says over before the match has ended",
        "an answer before its commit",
    )


def test_message_with_the_view_of_another_seat_is_found(monkeypatch):
    monkeypatch.setattr(match.Match, "view", lambda self, who, ply=None: self.table.view(0))
    found(0, "a view differs from the rows", "a view shows a hidden card")


def test_move_sent_with_the_token_of_another_seat_is_found(monkeypatch):
    real = requests.seated

    def seat_to_act(transaction, number, token):
        found, _ = real(transaction, number, token)
        return found, found.table.turn if found.state == "playing" else 0

    monkeypatch.setattr(requests, "seated", seat_to_act)
    found(345, "a written move was not sent by its seat", "the acknowledged move differs from the written one")


def test_agent_not_asked_again_after_a_failure_is_found(monkeypatch):
    async def once(self, number):
        with suppress(Refusal):
            is_to_act = True
            while is_to_act:
                self._called.discard(number)
                is_to_act = await self._play_one(number)

    monkeypatch.setattr(connections.Connections, "_think", once)
    monkeypatch.setattr(requests, "_is_overdue", lambda found, now: False)
    found(42, "unsettled")


def test_messages_that_skip_a_ply_are_found(monkeypatch):
    real = connections.Connections.send_changes

    def without_catching_up(self, news):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(connections.Connections, "catch_up", _nothing)
            real(self, news)

    monkeypatch.setattr(connections.Connections, "send_changes", without_catching_up)
    monkeypatch.setattr(connections.Connections, "moved", lambda *_: None)
    found(198, "unsettled")


async def _nothing(self, guest):
    pass


def test_without_planted_bugs_the_same_seeds_pass():
    assert [outcome.failure for outcome in simulate_many(range(5))] == [None] * 5
