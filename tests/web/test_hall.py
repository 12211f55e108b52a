"""Who waits for an agent is not forgotten."""

import asyncio

from bolicho.web import requests
from bolicho.web.hall import Hall


class Clerk:
    """Answers in the order of the clerk: news are told before the answers of the same transaction are."""

    def __init__(self, hall):
        self.hall = hall
        self.asked = 0

    def ask(self, request):
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(self._deliver, request, future)
        return future

    def _deliver(self, request, future):
        if request.func is requests.thought:
            self.asked += 1
            if self.asked == 1:  # the agent had nothing to do; a move of its opponent is in the same transaction
                self.hall.think("match")
        future.set_result(None)


def test_a_move_that_comes_while_an_agent_was_found_idle_is_answered():
    async def play():
        hall = Hall(roster=None)
        hall.clerk = clerk = Clerk(hall)
        hall.think("match")
        for _ in range(50):
            await asyncio.sleep(0)
        return clerk.asked

    assert asyncio.run(play()) == 2
