"""Challenges to connected bots from the home page."""

import time

from tests.web.bots.playing import revoke_of, running, token_for
from tests.web.pages.test_access import LOOKS, check
from tests.web.running import me


def test_connected_bot_can_be_challenged_from_the_home_page(come, app_state):
    token = token_for(app_state, "visiting-bot")
    try:
        with running("bot.py", app_state.base, BOLICHO_TOKEN=token):
            while not any(one.get("bot") for one in app_state.get("/api/agents", game="truco").json()["agents"]):
                time.sleep(0.1)
            ana = come()
            ana.go("/")
            ana.page.click('[data-opponent="visiting-bot"]')
            ana.page.wait_for_url("**/m/*")
            ana.play_to_a_card()
            assert "visiting-bot" in ana.page.inner_text("body")
    finally:
        revoke_of(app_state, "visiting-bot")  # later tests see only built-in agents


def test_waiting_player_sees_that_the_bot_declined(come, app_state):
    token = token_for(app_state, "shy-bot")
    try:
        made = app_state.made("truco", [me(), {"who": "bot", "bot": "shy-bot"}])
        ana = come()
        ana.sit(made["match"], made["seats"][0]["token"])
        ana.page.locator("#notice .waiting").wait_for()
        assert "shy-bot" not in ana.page.inner_text("#notice")
        app_state.post(f"/api/challenges/{made['match']}/decline", None, token)
        ana.page.locator("#notice .waiting a").wait_for()
        assert ana.page.inner_text("#notice h2") == "shy-bot has declined the challenge."
        check(ana, "declined", LOOKS[2:4])
    finally:
        revoke_of(app_state, "shy-bot")
