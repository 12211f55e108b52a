"""Scripted participant in Chromium, through the real pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bolicho.errors import BadInput
from bolicho.machine import browser as find_browser
from bolicho.web.study.rehearse import Walk
from bolicho.web.study.scripted_participants import Broken, Facts, Leaving, Line, Mind

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


@contextmanager
def by_pages(base: str) -> Iterator[Walk]:
    """Yield a walk through the pages of a server."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise BadInput("a rehearsal in a browser needs Playwright: pip install 'bolicho[rehearse]'") from None
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        except Error:
            raise BadInput(
                "Chromium is not installed, and a rehearsal with --browser needs it; on Debian and Ubuntu: "
                "apt-get install chromium, elsewhere: playwright install chromium"
            ) from None

        def walk(study: str, token: str, mind: Mind, leaving: Leaving | None) -> str:
            Line(base).get(f"/api/studies/{study}/me", token)  # refused if no place is free
            visitor = _Visitor(browser, f"{base}/s/{study}", mind, leaving)
            try:
                return visitor.take_part(token)
            except Error as problem:
                raise Broken(f"the pages do not continue after {visitor.where}: {problem.message}") from None
            finally:
                visitor.context.close()

        try:
            yield walk
        finally:
            browser.close()


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
        """Take part until the end, or until it leaves; return `finished`, `vanished` or `withdrawn`."""
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
        if step == "consent":
            self.page.check("#agree")
        elif step != "instructions":
            items: list[Facts] = self.page.evaluate(ITEMS)
            answers = self.mind.answers(items)
            for item in items:
                self._fill(item, answers[item["name"]])
            blank = None in answers.values()
        if self.mind.sends_twice():
            self.page.dblclick("#onward")
        else:
            self.page.click("#onward")
        if blank:
            self.page.click("#confirm-yes")

    def _fill(self, item: Facts, answer: int | str | None) -> None:
        if answer is None:
            return
        inside = f'[data-item="{item["name"]}"]'
        if item["kind"] == "text":
            self.page.fill(f"{inside} textarea", str(answer))
        else:
            self.page.locator(f'{inside} input[value="{answer}"]').check(force=True)  # its label may cover it

    def _go_back(self, number: int) -> None:
        """Check that the back button and a reload change nothing."""
        step, now = self._next(number)
        self.page.go_back()
        self.page.goto(self.address)
        if self._next(number) != (step, now):
            raise Broken(f"the back button moves the study from step {now} to {self.where}")

    def _play(self) -> None:
        """Play a match by clicking random buttons."""
        self.page.click("#onward")
        while True:
            table: Facts = self.page.wait_for_function(TABLE).json_value()
            if table["over"]:
                self.page.click("#notice #onward")
                return
            buttons = {_pointing(button): button for button in table["free"]}
            chosen = self.mind.plays([one.get("action", at) for at, one in buttons.items()])
            at = next(at for at, one in buttons.items() if chosen in (one.get("action"), at))
            self.page.locator(at).first.click()
            if "action" not in buttons[at]:
                self.page.locator(".wn-panel [data-action], .dm-ends [data-action]").first.click()

    def _leave(self) -> str:
        assert self.leaving is not None
        if self.leaving.how == "vanish":
            return "vanished"
        self.page.click("#withdraw")
        self.page.click("#confirm-yes")
        self.page.locator("#sheet[data-step=withdrawn]").wait_for()
        return "withdrawn"


def _pointing(button: Facts) -> str:
    name = next(name for name in ("action", "tile", "card") if name in button)
    return f'#root [data-{name}="{button[name]}"]'
