"""Whole matches, played with the mouse, with the keyboard, and on a phone."""

import random
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError

from tests.web.pages.reading import odd_words, shown_name
from tests.web.pages.visitor import PHONE, pointing_at, sensible

SHORT = {
    "truco": ({"target": 6}, ["balanced"]),
    "dominoes": ({}, ["rule"]),
    "fives": ({}, ["rule"]),
    "wonders": ({}, ["rules", "rules"]),
}
HEARD = """
  const heard = window.heard = [];
  addEventListener("DOMContentLoaded", () => {
    const box = document.querySelector("#live");
    if (!box) return;
    // What was put in and is still there when the browser looks: only that is ever spoken.
    new MutationObserver(records => records.forEach(({addedNodes}) =>
      addedNodes.forEach(node => node.isConnected && heard.push(node.textContent)))).observe(box, {childList: true});
  });
"""


def begin(come, app_state, game, settings=None, rules=None, **context):
    """Open a short match against agents."""
    short, others = SHORT[game]
    match, token = app_state.make(game, others, rules or short)
    ana = come(settings, **context)
    ana.context.add_init_script(HEARD)
    ana.sit(match, token, game=game)
    return ana, match, token


def in_order(wanted, told):
    """Return whether `wanted` is a subsequence of `told`."""
    rest = iter(told)
    return all(one in rest for one in wanted)


def check_end(ana, told):
    """Check that the page shows the same end of the match as the server."""
    assert told["state"] == "over" and ana.ply == told["ply"]
    said = ana.page.locator("#notice .finish h2").inner_text()
    names = [shown_name(ana.page, player) for player in told["players"]]
    assert all(names[seat] in said for seat in told["result"]["winners"])
    for seat, points in enumerate(told["view"]["scores"]):
        assert ana.page.locator(f'#score [data-seat="{seat}"] b').first.inner_text() == str(points)
    assert len(ana.log()) == len(told["view"]["log"])


@pytest.mark.parametrize(("game", "language"), list(zip(SHORT, ["pt", "es", "en", "pt"], strict=True)))
def test_match_is_played_by_clicking_and_opponents_actions_are_announced(come, app_state, game, language):
    ana, match, token = begin(come, app_state, game, {"language": language})
    luck, odd = random.Random(1), set()
    while ana.play(luck):
        odd |= set(odd_words(ana.text()))
    told = app_state.view(match, token)
    check_end(ana, told)
    assert not odd and not odd_words(ana.text())
    theirs = ana.page.locator("#log li[data-event]:not(.mine)").all_inner_texts()
    heard = ana.page.evaluate("heard")
    assert len(theirs) > 3 and in_order(theirs, heard), set(theirs) - set(heard)


def test_actions_of_six_opponents_are_all_announced(come, app_state):
    match, token = app_state.make("wonders", ["random"] * 6, {"players": 7})
    ana = come()
    ana.context.add_init_script(HEARD)
    ana.sit(match, token, game="wonders")
    luck = random.Random(2)
    for _ in range(4):
        ana.play(luck)
    ana.state()
    theirs = ana.page.locator("#log li[data-event]:not(.mine)").all_inner_texts()
    heard = ana.page.evaluate("heard")
    assert len(theirs) > 40 and in_order(theirs[1:], heard), [one for one in theirs if one not in heard]


def test_slow_pace_shows_every_ply_of_agents(come, app_state):
    ana, match, token = begin(come, app_state, "truco", {"pace": 350, "animate": True}, rules={"target": 2})
    plies = "window.plies = []; new MutationObserver(() => plies.push(+document.querySelector('#table').dataset.ply))"
    ana.page.evaluate(f"{plies}.observe(document.querySelector('#table'), {{attributeFilter: ['data-ply']}})")
    ana.play_to_the_end(seed=3)
    check_end(ana, app_state.view(match, token))
    shown = sorted(set(ana.page.evaluate("plies")))
    assert shown == list(range(shown[0], ana.ply + 1)), "a ply was skipped"


# --- Keyboard -------------------------------------------------------------------------------------

FOCUSED = """() => {
  const one = document.activeElement, style = getComputedStyle(one);
  const isSeen = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || style.boxShadow !== "none";
  const isOutside = one === document.body; // between the last and the first
  const isShown = isOutside || (one.matches(":focus-visible") && isSeen);
  return {...one.dataset, id: one.id, isSeen: isShown, inTable: Boolean(one.closest("#root"))};
}"""


def focused(page):
    """Return the focused element, and check that its focus is visible."""
    now = page.evaluate(FOCUSED)
    assert now["isSeen"], now
    return now


def walk(page, key, is_reached, most=80):
    """Press a key until the focus reaches its goal."""
    for _ in range(most):
        page.keyboard.press(key)
        now = focused(page)
        if is_reached(now):
            return now
    raise AssertionError(f"{most} times {key}, and not there")


def test_match_is_played_with_the_keyboard(come, app_state):
    ana = come()
    ana.go("/")
    ana.page.evaluate("localStorage.setItem('bolicho.rules.truco', JSON.stringify({target: 4}))")
    ana.page.reload()
    ana.page.locator("[data-play=truco]").wait_for()
    walk(ana.page, "Tab", lambda now: now.get("play") == "truco")
    ana.page.keyboard.press("Enter")
    ana.page.wait_for_url("**/m/*")
    luck = random.Random(4)
    is_first = True
    while not ana.state()["over"]:
        if is_first:
            walk(ana.page, "Tab", lambda now: now["inTable"] and "action" in now)
            is_first = False
        wanted = luck.choice(sensible(ana.state()["buttons"]))["action"]
        if focused(ana.page).get("action") != wanted:
            walk(ana.page, "ArrowRight", lambda now, wanted=wanted: now.get("action") == wanted)
        ana.page.keyboard.press("Enter")
    walk(ana.page, "Tab", lambda now: now["id"] == "again")
    ana.page.keyboard.press("Enter")
    ana.page.wait_for_function("() => document.querySelector('#table')?.dataset.over === 'false'")


# --- Phone ----------------------------------------------------------------------------------------

ROOM = """() => {
  const all = [...document.querySelectorAll("button, a[href], summary, select, input")];
  const shown = all.filter(one => one.checkVisibility());
  const placed = shown.map(one => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()]);
  const boxes = placed.filter(([, box]) => box.width);
  return {
    over: document.scrollingElement.scrollWidth - innerWidth,
    small: boxes.filter(([, {width, height}]) => Math.min(width, height) < 24).map(([text]) => text),
  };
}"""


@pytest.mark.parametrize("game", SHORT)
def test_a_match_is_played_on_a_phone_by_tapping(come, app_state, game):
    ana, match, token = begin(come, app_state, game, rules={"truco": {"target": 4}}.get(game), **PHONE)
    luck = random.Random(5)
    for _ in range(400 if game in ("truco", "dominoes") else 5):
        state = ana.state()
        room = ana.page.evaluate(ROOM)
        assert room["over"] <= 0 and not room["small"], room
        if state["over"]:
            break
        button = luck.choice(sensible(state["buttons"]))
        ana.page.locator(pointing_at(button)).first.tap()
        if "action" not in button:
            way = ana.page.locator(".wn-panel [data-action], .dm-ends [data-action]").first
            with suppress(TimeoutError):  # after a close tap, this one is half of a double tap: repeat it
                way.wait_for(timeout=2000)
                way.tap()
    if game in ("truco", "dominoes"):
        check_end(ana, app_state.view(match, token))


# --- Pointer --------------------------------------------------------------------------------------

LIFTED = {
    "truco": "#root .holding:nth-child(2) .play",
    "dominoes": "#root button.dm-tile",
    "wonders": "#root button.wn-card",
}
WATCH = """one => new Promise(done => {
  const seen = [];
  const look = () => {
    seen.push(Math.round(one.getBoundingClientRect().top * 10) / 10);
    seen.length < 12 ? requestAnimationFrame(look) : done(seen.slice(2));
  };
  requestAnimationFrame(look);
})"""


@pytest.mark.parametrize("game", LIFTED)
def test_lifted_card_stays_under_the_pointer(come, app_state, game):
    ana, *_ = begin(come, app_state, game)
    ana.state()
    mouse = ana.page.mouse
    card = ana.page.locator(f"{LIFTED[game]}:not(:disabled)").first
    card.scroll_into_view_if_needed()
    resting = card.bounding_box()
    for inside in (1.5, 3, 5, resting["height"] / 2):
        mouse.move(2, 2)
        mouse.move(resting["x"] + resting["width"] / 2, resting["y"] + resting["height"] - inside)
        tops = card.evaluate(WATCH)
        assert len(set(tops)) == 1 and tops[0] < resting["y"] - 3, (inside, resting["y"], tops)
