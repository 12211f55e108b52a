"""Lost, duplicate and blocked connections: the player returns to the same ply, and every move is played once."""

import json
import random
import sqlite3
import time

import pytest

from bolicho.web.match import PAUSE
from tests.web.pages.proxy import Proxy
from tests.web.pages.visitor import calm, pointing_at
from tests.web.running import invited, me

NOISE = r"WebSocket|ERR_|Failed to load resource"  # messages of Chromium about a lost connection
HEARTBEAT, PATIENCE = 16_000, 9_000  # ms, a little more than in live.js


@pytest.fixture
def proxied(app_state):
    """Make proxies to the server."""
    made = []

    def make(**more):
        made.append(Proxy(app_state.base, **more))
        return made[-1]

    yield make
    for proxy in made:
        proxy.close()


def wait_for_ply(visitor, ply, page=None):
    (page or visitor.page).wait_for_function("ply => +document.querySelector('#table')?.dataset.ply >= ply", arg=ply)


def wait_for_line(visitor, state):
    visitor.page.locator(f"#state[data-state={state}]").wait_for(state="attached")


def moves_sent(visitor):
    sent = [json.loads(text) for kind, text in visitor.frames if kind == "sent"]
    return [message for message in sent if message["do"] == "move"]


def own_actions(app_state, match, token):
    """Return the actions of seat 0 in the server's log."""
    log = app_state.view(match, token)["view"]["log"]
    return [entry["action"] for entry in log if entry["event"] == "chose" and entry["seat"] == 0]


@pytest.fixture
def table(app_state, come):
    """Make a visitor at a match of Truco, after some plays."""

    def sit(plays=3, base=None, **more):
        match, token = app_state.make("truco", ["balanced"], {"target": 24})
        ana = come(base=base or app_state.base, **more)
        ana.sit(match, token)
        luck = random.Random(7)
        for _ in range(plays):
            assert ana.play(luck, among=calm)
        ana.play_to_a_card()
        return ana, match, token

    return sit


def test_reload_back_and_forward_return_to_the_same_ply(table, app_state):
    ana, match, token = table()
    ply, log, buttons = ana.ply, ana.log(), ana.state()["buttons"]
    ana.page.reload()
    assert ana.state()["buttons"] == buttons and (ana.ply, ana.log()) == (ply, log)
    ana.page.locator("a.brand").click()
    ana.page.locator("[data-play=truco]").wait_for()
    ana.page.go_back()
    assert ana.state()["buttons"] == buttons and (ana.ply, ana.log()) == (ply, log)
    ana.page.go_back()
    ana.page.locator("#continue a").first.wait_for()
    ana.page.go_forward()
    assert ana.state()["buttons"] == buttons and (ana.ply, ana.log()) == (ply, log)
    assert ana.play(random.Random(8), among=calm)
    ana.state()
    assert ana.ply > ply and app_state.view(match, token)["ply"] == ana.ply


def test_home_page_links_back_to_a_running_match(table):
    ana, match, _ = table()
    buttons = ana.state()["buttons"]
    ana.go("/")
    ana.page.locator(f'#continue a[href="/m/{match}"]').click()
    assert ana.state()["buttons"] == buttons


@pytest.mark.parametrize("pause", [0, 250])
def test_a_double_click_sends_one_move(table, app_state, pause):
    ana, match, token = table(plays=1)
    button = ana.play_to_a_card()[0]
    before, sent, played = ana.ply, len(moves_sent(ana)), len(own_actions(app_state, match, token))
    point_at(ana, button)
    for count in (1, 2):
        click(ana, count)
        ana.page.wait_for_timeout(pause)
    wait_for_ply(ana, before + 1)
    ana.state()
    assert [(move["ply"], move["action"]) for move in moves_sent(ana)[sent:]] == [(before, button["action"])]
    assert own_actions(app_state, match, token)[played:] == [button["action"]]


def test_second_click_of_a_double_click_does_not_play_a_new_button(table):
    ana, *_ = table(plays=1)
    point_at(ana, ana.play_to_a_card()[0])
    click(ana, 1)
    button = ana.play_to_a_card()[0]
    sent = len(moves_sent(ana))
    point_at(ana, button)
    click(ana, 2)
    ana.page.wait_for_timeout(100)
    assert len(moves_sent(ana)) == sent
    click(ana, 1)
    ana.state()
    assert moves_sent(ana)[sent]["action"] == button["action"]


def point_at(visitor, button):
    box = visitor.page.locator(pointing_at(button)).bounding_box()
    visitor.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def click(visitor, count):
    """Send the first or the second click of a double click."""
    visitor.page.mouse.down(click_count=count)
    visitor.page.mouse.up(click_count=count)


def test_second_tab_and_second_device_show_the_same_match(table, come, app_state):
    ana, match, token = table()
    tab = ana.context.new_page()
    ana.go(f"/m/{match}", tab)
    ana.state(tab)
    phone = come()
    phone.sit(match, token)
    luck = random.Random(9)
    for visitor, page in ((ana, ana.page), (ana, tab), (phone, phone.page), (ana, ana.page)):
        visitor.play(luck, page, among=calm)
        ply = app_state.view(match, token)["ply"]
        for who, where in ((ana, ana.page), (ana, tab), (phone, phone.page)):
            wait_for_ply(who, ply, where)
            who.state(where)
    assert ana.log() == ana.log(tab) == phone.log()


# --- Lost connections -----------------------------------------------------------------------------


def test_heartbeat_detects_a_half_open_connection(table, proxied, app_state):
    proxy = proxied()
    ana, match, token = table(base=proxy.base)
    ana.allowed.append(NOISE)
    ana.page.clock.install()
    ana.page.reload()
    ana.state()
    wait_for_line(ana, "open")
    proxy.freeze()
    now = app_state.view(match, token)
    assert app_state.move(match, token, now["ply"], ana.play_to_a_card()[0]["action"]).status_code == 200
    ply = app_state.view(match, token)["ply"]
    assert ana.ply == now["ply"]  # the page has received nothing, and has not noticed yet
    ana.page.clock.fast_forward(HEARTBEAT)
    ana.page.wait_for_timeout(300)
    ana.page.clock.fast_forward(PATIENCE)
    wait_for_ply(ana, ply)
    wait_for_line(ana, "open")
    assert ana.play(random.Random(10), among=calm)


def test_move_sent_over_a_half_open_connection_is_played_once_after_reconnection(table, proxied, app_state):
    proxy = proxied()
    ana, match, token = table(base=proxy.base)
    ana.allowed.append(NOISE)
    ana.page.clock.install()
    ana.page.reload()
    ana.state()
    wait_for_line(ana, "open")
    ply, played = ana.ply, len(own_actions(app_state, match, token))
    proxy.freeze()
    button = ana.play_to_a_card()[0]
    ana.press(pointing_at(button))
    ana.page.wait_for_timeout(300)
    assert app_state.view(match, token)["ply"] == ply
    ana.page.clock.fast_forward(PATIENCE)
    wait_for_ply(ana, ply + 1)
    ana.state()
    assert own_actions(app_state, match, token)[played:] == [button["action"]]


def test_move_made_offline_is_played_once_after_reconnection(table, app_state):
    ana, match, token = table()
    ana.allowed.append(NOISE)
    ply, played = ana.ply, len(own_actions(app_state, match, token))
    button = ana.play_to_a_card()[0]
    ana.context.set_offline(True)
    wait_for_line(ana, "lost")
    ana.press(pointing_at(button))
    ana.page.wait_for_timeout(200)
    assert app_state.view(match, token)["ply"] == ply
    ana.context.set_offline(False)
    wait_for_ply(ana, ply + 1)
    wait_for_line(ana, "open")
    ana.state()
    assert own_actions(app_state, match, token)[played:] == [button["action"]]


def test_match_is_played_by_long_polls_without_websockets(proxied, come, app_state):
    proxy = proxied(lets_sockets=False)
    match, token = app_state.make("truco", ["balanced"], {"target": 4})
    ana = come(base=proxy.base)
    ana.allowed.append(NOISE)
    ana.sit(match, token)
    wait_for_line(ana, "polling")
    ana.play_to_the_end(seed=11)
    assert app_state.view(match, token)["state"] == "over"
    assert not [text for kind, text in ana.frames if kind == "received"]


def test_match_continues_after_a_server_kill_and_absent_player_can_be_claimed_against(table, come, app_state):
    ana, match, token = table()
    ana.allowed.append(NOISE)
    ply, log = ana.ply, ana.log()
    made = app_state.made("truco", [me("Caio"), invited()])
    two = made["match"]
    body = {"invite": made["seats"][1]["invite"], "name": "Dora"}
    tokens = [made["seats"][0]["token"], app_state.post(f"/api/matches/{two}/sit", body).json()["token"]]
    late = app_state.view(two)["view"]["turn"]
    stayed = come()
    stayed.allowed.append(NOISE)
    stayed.sit(two, tokens[1 - late], 1 - late)
    stayed.page.locator("#away").wait_for()
    assert not stayed.page.locator("#claim:enabled").count()

    app_state.kill()
    wait_for_line(ana, "lost")
    long_ago = time.time() - 2 * PAUSE
    with sqlite3.connect(app_state.database) as connection:
        connection.execute("UPDATE seats SET seen = ?, here = 0 WHERE match = ? AND seat = ?", (long_ago, two, late))
        connection.execute("UPDATE matches SET dealt = ? WHERE id = ?", (long_ago, two))
        up = (long_ago, time.time() + PAUSE)  # an interval of uptime of another process
        connection.execute("INSERT INTO uptime (began, until) VALUES (?, ?)", up)
    connection.close()
    app_state.start()

    wait_for_line(ana, "open")
    assert (ana.ply, ana.log()) == (ply, log)
    assert ana.play(random.Random(12), among=calm)
    ana.state()
    assert app_state.view(match, token)["ply"] == ana.ply > ply

    assert app_state.view(two)["state"] == "playing"  # no claim without a click
    stayed.page.locator("#claim:enabled").click()
    stayed.page.locator("#notice .finish").wait_for()
    assert app_state.view(two)["result"]["claimed"] == 1 - late
