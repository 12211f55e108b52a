"""A short study in three languages with every kind of question, and a participant in a browser."""

from bolicho.store import studies
from tests.web.pages.visitor import Visitor

PLAN = """
title = {en = "Two at a table", pt = "Dois à mesa", es = "Dos a la mesa"}
game = "truco"
rules = {hands = 1}
opponents = [{agent = "cautious"}, {agent = "bluffer"}]
target = 20
languages = ["en", "pt", "es"]
retention = 2020-01-31
room = "galpao"

[sees]
pace = 0

[practice]
agent = "novice"

[consent]
version = "v-7"
text = {en = "You may leave.\\n\\n- at any time\\n- without a reason", pt = "Pode sair.", es = "Podés salir."}

[instructions]
text = {en = "Play as you like.", pt = "Jogue como quiser.", es = "Jugá como quieras."}

[[questions]]
when = "before"
name = "years"
kind = "choice"
text = {en = "For how long have you played?", pt = "Há quanto tempo joga?", es = "¿Desde cuándo jugás?"}
choices = [
    {value = "never", text = {en = "never", pt = "nunca", es = "nunca"}},
    {value = "long", text = {en = "for long", pt = "faz tempo", es = "hace mucho"}},
]

[[questions]]
when = "match"
name = "skill"
kind = "scale"
text = {en = "How strong was it?", pt = "Era forte?", es = "¿Era fuerte?"}
low = {en = "very weak", pt = "muito fraco", es = "muy débil"}
high = {en = "very strong", pt = "muito forte", es = "muy fuerte"}

[[questions]]
when = "match"
name = "fun"
kind = "scale"
text = {en = "Was it fun?", pt = "Foi divertido?", es = "¿Fue divertido?"}
low = {en = "very boring", pt = "muito chato", es = "muy aburrido"}
high = {en = "great fun", pt = "muito divertido", es = "muy divertido"}
points = 11

[[questions]]
when = "match"
name = "remarks"
kind = "text"
text = {en = "Anything else?", pt = "Mais alguma coisa?", es = "¿Algo más?"}

[thanks]
text = {en = "That was all.", pt = "Era isso.", es = "Eso fue todo."}
"""
SPECS = ("cautious", "bluffer", "novice")  # specs that pages must not show


class Participant(Visitor):
    """A participant at the pages of a study."""

    def come_to(self, guest):
        """Open the participant's link."""
        self.go(f"/s/{guest.study}#p={guest.token}")
        self.is_at()

    def is_at(self, number=None):
        """Wait for a step (that one, or any), and return its name."""
        at = f'[data-number="{number}"]' if number else '[data-number]:not([data-number=""])'
        sheet = self.page.locator(f"#sheet{at}:not([aria-busy])")
        sheet.wait_for()
        return sheet.get_attribute("data-step")

    def number(self):
        self.is_at()
        return int(self.page.locator("#sheet").get_attribute("data-number"))

    def onward(self):
        """Press the large button, and return the name of the next step."""
        before = self.number()
        self.page.locator("#onward").click()
        return self.is_at(before + 1)

    def to_the_table(self):
        self.page.locator("#onward").click()
        self.page.locator("#table[data-ply]").wait_for()

    def play_out(self, seed=0):
        """Play the match of the step, and return the name of the next step."""
        before = self.number()
        self.to_the_table()
        self.play_to_the_end(seed)
        self.page.locator("#onward").click()
        return self.is_at(before + 1)

    def answer(self, **answers):
        for name, value in answers.items():
            field = self.page.locator(f'[name="{name}"]')
            if field.first.get_attribute("type") == "radio":
                self.page.locator(f'[name="{name}"][value="{value}"]').check()
            else:
                field.fill(value)


def answered(study, code):
    """Return the stored answers of a participant by step, for finished steps."""
    with study.engine.connect() as connection:
        return {row.step: row.answers for row in studies.read_steps(connection, study.id, code) if row.done is not None}
