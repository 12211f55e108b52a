"""Somebody at the door challenges a bot that is there, and plays with it."""

import time

from tests.web.bots.playing import revoke_of, running, token_for


def test_a_bot_that_listens_can_be_challenged_at_the_door(come, house):
    token = token_for(house, "visiting-bot")
    try:
        with running("bot.py", house.base, BOLICHO_TOKEN=token):
            while not any(one.get("bot") for one in house.get("/api/agents", game="truco").json()["agents"]):
                time.sleep(0.1)
            ana = come()
            ana.go("/")
            ana.page.click('[data-opponent="visiting-bot"]')
            ana.page.wait_for_url("**/m/*")
            ana.play_to_a_card()
            assert "visiting-bot" in ana.page.inner_text("body")
    finally:
        revoke_of(house, "visiting-bot")  # who comes next is shown the house alone
