"""A visitor with a browser: actions, visible texts, and errors of the pages."""

import json
import random
import re
import shutil
from urllib.parse import urlsplit

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW_TO_INSTALL = (
    "Chromium is not installed, so no test plays in a browser; on Debian and Ubuntu: apt-get install chromium"
)
QUICK = {"language": "en", "theme": "light", "pace": 0, "animate": False, "sound": 0, "name": "Ana"}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}

SETTLE = "settings => localStorage.getItem('bolicho.settings') ?? localStorage.setItem('bolicho.settings', settings)"
REPORT = "addEventListener('securitypolicyviolation', e => console.error('CSP', e.violatedDirective, e.blockedURI))"

# Elements of the table that can be pressed: actions, and tiles and cards that offer a choice.
PRESSABLE = "#root [data-action], #root [data-tile], #root [data-card]"
WAITING = f"""() => {{
  const buttons = [...document.querySelectorAll({PRESSABLE!r})].filter(one => !one.disabled);
  const finish = document.querySelector("#notice .finish");
  return buttons.length || finish ? {{over: Boolean(finish), buttons: buttons.map(one => ({{...one.dataset}}))}} : null;
}}"""


def chromium():
    """Return the path of Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


READ = """() => {
  const names = ["aria-label", "title", "placeholder", "aria-valuetext"];
  const named = names.flatMap(name => [...document.querySelectorAll(`[${name}]`)].map(one => one.getAttribute(name)));
  return [document.title, document.body.innerText, document.body.textContent, ...named].join("\\n");
}"""


def sensible(buttons):
    """Return the buttons that do not fold, or all if there are no others."""
    return [one for one in buttons if one.get("action") not in ("baralho", "nao")] or buttons


def calm(buttons):
    """Return buttons that play a card or refuse a bet, so that a match of Truco does not end at once."""
    return [one for one in buttons if is_card(one)] or [one for one in buttons if one.get("action") == "nao"] or buttons


def is_card(button):
    """Return whether a button plays a card of Truco face up."""
    return button.get("key", "").startswith("card ")


def pointing_at(button):
    name = next(name for name in ("action", "tile", "card") if name in button)
    return f'#root [data-{name}="{button[name]}"]'


class Visitor:
    """A separate browser context with one page."""

    def __init__(self, browser, base, settings=None, **context):
        self.base = base
        self.wrong = []  # errors and warnings of pages
        self.allowed = []  # patterns of expected errors
        self.frames = []  # (sent or received, text) of all WebSockets
        self.responses = []
        self.context = browser.new_context(**{**DESKTOP, "locale": "en-GB", **context})
        self.context.set_default_timeout(60_000)
        kept = json.dumps(json.dumps({**QUICK, **(settings or {})}))
        self.context.add_init_script(f"if (location.protocol === 'http:') ({SETTLE})({kept}); {REPORT}")
        self.context.on("page", self._watch)
        self.page = self.context.new_page()

    def _watch(self, page):
        page.on("pageerror", lambda problem: self.wrong.append(f"page error: {problem}"))
        page.on("console", self._hear_console)
        page.on("request", self._check_request)
        page.on("response", lambda response: self.responses.append(response))
        page.on("websocket", self._listen)

    def _hear_console(self, message):
        if message.type in ("error", "warning"):
            self.wrong.append(f"console {message.type}: {message.text} {message.location.get('url', '')}")

    def _check_request(self, request):
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and f"{address.scheme}://{address.netloc}" != self.base:
            self.wrong.append(f"request to another host: {request.url}")

    def _listen(self, socket):
        socket.on("framereceived", lambda text: self.frames.append(("received", text)))
        socket.on("framesent", lambda text: self.frames.append(("sent", text)))

    def close(self):
        """Close the browser context, and check that its pages had only expected errors."""
        self.context.close()
        complaints = [one for one in self.wrong if not any(re.search(pattern, one) for pattern in self.allowed)]
        assert not complaints, complaints

    # --- Navigation -------------------------------------------------------------------------------

    def go(self, path, page=None):
        (page or self.page).goto(self.base + path)

    def hold(self, match, token, seat=0, game="truco"):
        """Store the token of a seat, as the page does that made the match."""
        self.go("/")
        kept = {"seats": {str(seat): token}, "invites": [], "game": game}
        write = "([key, kept]) => localStorage.setItem(key, JSON.stringify(kept))"
        self.page.evaluate(write, [f"bolicho.match.{match}", kept])
        self.page.evaluate(write, ["bolicho.matches", [match]])

    def sit(self, match, token, seat=0, game="truco"):
        """Open a match with the token of a seat."""
        self.hold(match, token, seat, game)
        self.go(f"/m/{match}")

    # --- Playing ----------------------------------------------------------------------------------

    def state(self, page=None):
        """Wait for an action or the end of the match, and return {"over", "buttons"}."""
        return (page or self.page).wait_for_function(WAITING).json_value()

    def press(self, selector, page=None):
        (page or self.page).locator(selector).first.click()

    def play(self, luck, page=None, among=sensible):
        """Click one random action, and return False if the match is over."""
        page = page or self.page
        state = self.state(page)
        if state["over"]:
            return False
        button = luck.choice(among(state["buttons"]))
        self.press(pointing_at(button), page)
        if "action" not in button:
            ways = page.locator(".wn-panel [data-action], .dm-ends [data-action]")
            ways.nth(luck.randrange(ways.count())).click()
        return True

    def play_to_a_card(self, luck=None):
        """Play without bets until a card of Truco can be played, and return the buttons of the cards."""
        while not (cards := [one for one in self.state()["buttons"] if is_card(one)]):
            assert self.play(luck or random.Random(0), among=calm)
        return cards

    def play_to_the_end(self, seed=0, most=400):
        """Play to the end of the match, and return the number of plays."""
        luck = random.Random(seed)
        for plays in range(most):
            if not self.play(luck):
                return plays
        raise AssertionError(f"not over after {most} plays")

    @property
    def ply(self):
        return int(self.page.locator("#table").get_attribute("data-ply"))

    def log(self, page=None):
        """Return the entries of the log."""
        return (page or self.page).locator("#log li").all_inner_texts()

    def text(self):
        """Return all text of the page, including names for screen readers."""
        return self.page.evaluate(READ)
