"""Analysis of a finished match for its players: the value of each decision, in Truco hand by hand.

Each hand is judged in a worker process, and each judged decision is a row.  So a repeated request, another server
process or a restarted server continues after the last row.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import FastAPI, Query, Response

from bolicho.agents.cfr.analyse import Analysis, JudgedDecision, choices_of, hand_of, judge, judge_for, never_done
from bolicho.agents.explanation import signed
from bolicho.games.truco.text import NAMES
from bolicho.i18n import Message
from bolicho.store import database
from bolicho.web import requests
from bolicho.web.app_state import AppState
from bolicho.web.choices import Choices, is_judged
from bolicho.web.refusal import Refusal
from bolicho.web.schemas import Bearer, Number, Ply, answer, needed_token
from bolicho.web.transactions import Transaction
from bolicho.web.workers import DecisionRequest

log = logging.getLogger("bolicho.web")

POLL = 25.0  # most seconds of a long poll

Key = tuple[str, int]
"""Match, and the seat whose decisions are judged."""


# --- Judging: in a worker process -----------------------------------------------------------------


def judge_hand(thought: DecisionRequest, seat: int, hand: int) -> tuple[str, list[dict[str, Any]]]:
    """Return the agent whose strategy judges a hand, and the judged decisions of a seat."""
    table = thought.table()
    hand_game = hand_of(table.game)
    asked = judge(hand_game, judge_for(hand_game))
    return asked.by, [one.as_json() for one in asked.decisions(table, seat, hand)]


# --- Requests -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgedDecisions:
    """Judged decisions of a seat so far, and the call that judges more."""

    seat: int
    found: Analysis
    thought: DecisionRequest
    names: Sequence[str]

    @property
    def done(self) -> int:
        """Return the number of judged decisions."""
        return len(self.found.decisions)

    @property
    def of(self) -> int:
        """Return the number of all decisions."""
        return choices_of(self.found.table, self.seat)

    judge = staticmethod(judge_hand)

    def next_part(self) -> int | None:
        """Return the first hand that is not judged yet."""
        judged, ply, hand = {one.ply for one in self.found.decisions}, 0, 0
        for entry in self.found.table.log:
            if entry["event"] == "dealt":
                hand += 1
            elif entry["event"] == "chose":
                if entry["seat"] == self.seat and ply not in judged:
                    return hand
                ply += 1
        return None

    def as_json(self, since: int) -> dict[str, Any]:
        """Return the decisions from a number on for the page, and a summary once all are judged."""
        facts = {"seat": self.seat, "names": self.names, "by": self.found.by or None, "of": self.of, "done": self.done}
        facts |= {"decisions": list(self._decisions())[since:], "summary": None, "biggest": []}
        if self.done == facts["of"]:
            said, worst = [one.as_json() for one in self.found.summary()], self.found.biggest
            cut = len(said) - len(worst)
            facts["summary"] = said[:cut]
            facts["biggest"] = [
                {"ply": one.ply, "cards": one.cards, "says": says} for one, says in zip(worst, said[cut:], strict=True)
            ]
        return facts

    def _decisions(self) -> Iterator[dict[str, Any]]:
        hand = unexplained = 0
        for one in self.found.decisions:
            if one.hand != hand:
                hand, unexplained = one.hand, 0
            is_new, unexplained = one.unexplained > unexplained, one.unexplained
            yield {
                **{name: getattr(one, name) for name in ("ply", "hand", "round", "mao", "cards", "cost", "values")},
                "asked": NAMES[one.asked].as_json() if one.asked else None,
                "chosen": NAMES[one.chosen].as_json(),
                "bars": one.bars(),
                "worth": Message("analyse.worth", value=signed(one.value)).as_json(),
                "verdict": one.verdict.as_json(),
                "note": never_done(one, self.found.by).as_json() if is_new else None,
            }


def known(transaction: Transaction, number: str, token: str) -> JudgedDecisions | Choices:
    """Return the judged decisions of the token's seat in a finished match."""
    match, seat = requests.seated(transaction, number, token)
    if match.study is not None:
        raise Refusal(403, Message("server.analysis-study"))
    if not is_judged(match.row.game):
        raise Refusal(409, Message("server.analysis-game"))
    if match.state != "over":
        raise Refusal(409, Message("server.analysis-early"))
    rows = database.read_judged(transaction.connection, number, seat)
    if match.row.game != "truco":
        by = rows[0][0] if rows else ""
        return Choices(seat, by, match.table, [facts for _, facts in rows], requests.played(match), match.names)
    found = Analysis(rows[0][0] if rows else "", match.table, [JudgedDecision.read(facts) for _, facts in rows])
    return JudgedDecisions(seat, found, requests.played(match), match.names)


def keep(transaction: Transaction, number: str, by: str, decisions: list[dict[str, Any]]) -> None:
    """Store judged decisions, if the match still exists."""
    if database.is_there(transaction.connection, number):
        database.add_judged(transaction.connection, number, by, decisions)


# --- Replies --------------------------------------------------------------------------------------


class Judging:
    """Analyses that run in this server process."""

    def __init__(self, app_state: AppState) -> None:
        self.app_state = app_state
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._news: dict[Key, asyncio.Event] = {}  # set when more decisions are judged or the analysis ends

    async def more(self, key: Key, token: str, seconds: float) -> None:
        """Start judging a seat's decisions if needed, and wait for more of them; refuse if judging failed."""
        task = self._tasks.get(key)
        if task is None:
            self.app_state.questions.take(token)
            task = self._tasks[key] = asyncio.ensure_future(self._judge(key, token))
            task.add_done_callback(lambda _: self._rest(key))
        news = self._news.setdefault(key, asyncio.Event())
        with suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), seconds)
        if task.done() and (task.cancelled() or task.exception() is not None):
            raise Refusal(503, Message("server.thinker"), after=2)

    def _rest(self, key: Key) -> None:
        task = self._tasks.pop(key)
        if not task.cancelled() and task.exception() is not None:
            log.error("decisions of %s could not be judged", key[0], exc_info=task.exception())
        self._ring(key)

    def _ring(self, key: Key) -> None:
        self._news.pop(key, asyncio.Event()).set()

    async def _judge(self, key: Key, token: str) -> None:
        number, seat = key
        while True:
            now: JudgedDecisions | Choices = await self.app_state.transactions.ask(
                partial(known, number=number, token=token)
            )
            part = now.next_part()
            if part is None:
                return
            work = self.app_state.agent_pool.do("judge", now.judge, now.thought, seat, part)
            by, decisions = await asyncio.wrap_future(work)
            await self.app_state.transactions.ask(partial(keep, number=number, by=by, decisions=decisions))
            self._ring(key)


def add(app: FastAPI, app_state: AppState) -> None:
    """Add the route of the analysis."""
    judging = Judging(app_state)

    @app.get("/api/matches/{number}/analysis")
    async def analysis(
        number: Number,
        authorization: Bearer = None,
        since: Ply = 0,
        wait: Annotated[float, Query(ge=0, le=60)] = 0,
    ) -> Response:
        """Return the cost of the seat's decisions from number `since` on, after the end of a match.

        The first request starts the analysis; a request returns when there are more decisions, or after `wait` seconds
        (at most 25).  `done` of `of` are there; the last come with `summary` and the three `biggest` mistakes.
        """
        token = needed_token(authorization)
        app_state.looks.take(token)
        ask = partial(known, number=number, token=token)
        found: JudgedDecisions | Choices = await app_state.transactions.ask(ask)
        if found.done < found.of:
            await judging.more((number, found.seat), token, min(wait, POLL) if found.done <= since else 0)
            found = await app_state.transactions.ask(ask)
        return answer(found.as_json(since))
