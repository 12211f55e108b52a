"""Scripted participant in Chromium, through the real pages."""

import time
from typing import TYPE_CHECKING

from bolicho.errors import BadInput
from bolicho.machine import browser as find_browser
from bolicho.web.study.rehearse import Walk
from bolicho.web.study.scripted_participants import AUTOMATED, Broken, Facts, Leaving, Line, Mind

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PATIENCE = 60_000  # milliseconds
SETTINGS = """{"theme": "light", "pace": 0, "animate": false, "sound": 0, "name": "?"}"""
QUICK = f"localStorage.getItem('bolicho.settings') ?? localStorage.setItem('bolicho.settings', '{SETTINGS}')"

# Returns the buttons of a table that are enabled; null while another seat is to act.
TABLE = """() => {
  const all = [...document.querySelectorAll("#root [data-action], #root [data-tile], #root [data-card]")];
  const free = all.filter(one => !one.disabled).map(one => ({...one.dataset}));
  const over = Boolean(document.querySelector("#notice .finish"));
  return over || free.length ? {over, free} : null;
}"""
SHEET = "before => Number(document.querySelector('#sheet')?.dataset.number) > before || null"
ITEMS = """() => [...document.querySelectorAll("#sheet [data-item]")].map(one => {
  const values = [...one.querySelectorAll("input")].map(input => input.value);
  const kind = one.querySelector("textarea") ? "text" : one.querySelector(".likert") ? "scale" : "choice";
  return {name: one.dataset.item, kind, points: values.length, choices: values.map(value => ({value}))};
})"""
LOCALES = ("pt-BR", "en-GB", "es-UY")


def by_pages(base: str) -> Walk:
    """Return a walk through the pages of a server, with a browser for each participant."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise BadInput("a rehearsal in a browser needs Playwright: pip install 'bolicho[rehearse]'") from None
    place = find_browser()

    def walk(study: str, token: str, mind: Mind, leaving: Leaving | None) -> str:
        Line(base).get(f"/api/studies/{study}/me", token)  # refused if no place is free
        flags = ["--no-sandbox", *([] if mind.character == AUTOMATED else [UNMARKED])]
        with sync_playwright() as playwright:  # one for each thread
            try:
                browser = playwright.chromium.launch(executable_path=place, args=flags)
            except Error:
                raise BadInput(NO_CHROMIUM) from None
            visitor = _Visitor(browser, f"{base}/s/{study}", mind, leaving)
            try:
                return visitor.take_part(token)
            except Error as problem:
                raise Broken(f"the pages do not continue after {visitor.where}: {problem.message}") from None
            finally:
                browser.close()

    with sync_playwright() as playwright:  # so that a missing browser is reported before anything is made
        try:
            playwright.chromium.launch(executable_path=place, args=["--no-sandbox"]).close()
        except Error:
            raise BadInput(NO_CHROMIUM) from None
    return walk


NO_CHROMIUM = (
    "Chromium is not installed, and a rehearsal with --browser needs it; on Debian and Ubuntu: "
    "apt-get install chromium, elsewhere: playwright install chromium"
)
UNMARKED = "--disable-blink-features=AutomationControlled"
"""Flag without which `navigator.webdriver` is true: all but the automated participant play people."""

AT_ONCE = """([selector, value]) => {
  const one = document.querySelector(selector);
  if (value === null) return one.click();
  if (["radio", "checkbox"].includes(one.type)) one.checked = true;
  else one.value = value;
  one.dispatchEvent(new Event("input", {bubbles: true}));
}"""
"""Click or fill an element as a program does: at once, without the pointer and the keyboard."""


class _Visitor:
    """Scripted participant with a browser context of their own."""

    def __init__(self, browser: "Browser", address: str, mind: Mind, leaving: Leaving | None) -> None:
        self.mind, self.leaving, self.address = mind, leaving, address
        self.where = "the start page"
        self.context = browser.new_context(locale=mind.speaks(list(LOCALES)))
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(f"if (location.protocol.startsWith('http')) {{ {QUICK} }}")
        self.page = self.context.new_page()

    def take_part(self, token: str) -> str:
        """Take part until the end, or until it leaves; return how it ended."""
        self.page.goto(f"{self.address}#p={token}")
        before = 0
        while True:
            step, number = self._next(before)
            if self.leaving is not None and number >= self.leaving.step:
                return self._leave()
            if step == "thanks":
                return "finished"
            if step in ("practice", "match"):
                self._play()
            else:
                self._answer(step)
                if self.mind.sends_twice():
                    self._go_back(number)
            before = number

    def _next(self, before: int) -> tuple[str, int]:
        """Wait for the sheet after the one with that number; return its step and number."""
        self.page.wait_for_function(SHEET, arg=before)
        sheet = self.page.locator("#sheet")
        step, number = sheet.get_attribute("data-step") or "", int(sheet.get_attribute("data-number") or 0)
        self.where = f"step {number}, {step}"
        if self.page.locator("#progress .rehearsal").count() != 1:
            raise Broken(f"the page does not say that the participant is scripted: {self.where}")
        return step, number

    def _answer(self, step: str) -> None:
        blank = False
        time.sleep(self.mind.reads(step))
        if step == "consent":
            self._set("#agree", "on")
        else:
            items: list[Facts] = self.page.evaluate(ITEMS)
            answers = self.mind.answers(items)
            for item in items:
                self._fill(item, answers[item["name"]])
            blank = None in answers.values()
        if self.mind.character == AUTOMATED and self.page.locator("#trap").count():
            self._set("#trap", "https://example.org")
        if self.mind.character != AUTOMATED and self.mind.sends_twice():
            self.page.dblclick("#onward")
        else:
            self._click("#onward")
        if blank:
            self._click("#confirm-yes")

    def _click(self, selector: str) -> None:
        if self.mind.character == AUTOMATED:
            self.page.locator(selector).first.wait_for()
            self.page.evaluate(AT_ONCE, [selector, None])
        else:
            self.page.locator(selector).first.click()

    def _set(self, selector: str, value: str) -> None:
        """Check a button, or type a text."""
        if self.mind.character == AUTOMATED:
            self.page.evaluate(AT_ONCE, [selector, value])
        elif selector.endswith("textarea"):
            self.page.locator(selector).press_sequentially(value)
        else:
            self.page.locator(selector).check(force=True)  # its label may cover it

    def _fill(self, item: Facts, answer: int | str | None) -> None:
        if answer is None:
            return
        inside = f'[data-item="{item["name"]}"]'
        self._set(f"{inside} textarea" if item["kind"] == "text" else f'{inside} input[value="{answer}"]', str(answer))

    def _go_back(self, number: int) -> None:
        """Check that the back button and a reload change nothing."""
        step, now = self._next(number)
        self.page.go_back()
        self.page.goto(self.address)
        if self._next(number) != (step, now):
            raise Broken(f"the back button moves the study from step {now} to {self.where}")

    def _play(self) -> None:
        """Play a match by clicking random buttons."""
        self._click("#onward")
        while True:
            table: Facts = self.page.wait_for_function(TABLE).json_value()
            if table["over"]:
                self._click("#notice #onward")
                return
            time.sleep(self.mind.thinks())
            buttons = {_pointing(button): button for button in table["free"]}
            chosen = self.mind.plays([one.get("action", at) for at, one in buttons.items()])
            at = next(at for at, one in buttons.items() if chosen in (one.get("action"), at))
            self._click(at)
            if "action" not in buttons[at]:
                self._click(".wn-panel [data-action], .dm-ends [data-action]")

    def _leave(self) -> str:
        assert self.leaving is not None
        if self.leaving.how == "vanish":
            return "vanished"
        if self.leaving.how == "decline":
            self.page.click("#decline")
            self.page.locator("#reconsider").wait_for()
            return "declined"
        self.page.click("#withdraw")
        self.page.click("#confirm-yes")
        self.page.locator("#sheet[data-step=withdrawn]").wait_for()
        return "withdrawn"


def _pointing(button: Facts) -> str:
    name = next(name for name in ("action", "tile", "card") if name in button)
    return f'#root [data-{name}="{button[name]}"]'
