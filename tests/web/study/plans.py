"""A small study for tests, and a participant over HTTP."""

from tests.web.running import play_by_http

PRACTICE = """
[practice]
agent = "novice"
rules = {hands = 1}
"""
PLAN = """
title = {{en = "Four of a kind", pt = "Quatro iguais"}}
game = "truco"
rules = {{target = 4}}
opponents = [{opponents}]
order = "{order}"
matches = {matches}
target = {target}
lost_after = {lost_after}
languages = ["en", "pt"]
retention = 2020-01-31
room = "casa-1"
{more}

{sees}

{practice}

[consent]
version = "v-7"
text = {{en = "You may leave at any time.", pt = "Você pode sair quando quiser."}}

[instructions]
text = {{en = "Play as you like.", pt = "Jogue como quiser."}}

[[questions]]
when = "before"
name = "years"
kind = "choice"
text = {{en = "For how long?", pt = "Há quanto tempo?"}}
choices = [
    {{value = "never", text = {{en = "never", pt = "nunca"}}}},
    {{value = "long", text = {{en = "long", pt = "muito"}}}},
]

[[questions]]
when = "match"
name = "fun"
kind = "scale"
text = {{en = "Was it fun?", pt = "Foi divertido?"}}
low = {{en = "boring", pt = "chato"}}
high = {{en = "great fun", pt = "muito divertido"}}
points = 5

[[questions]]
when = "match"
name = "remarks"
kind = "text"
text = {{en = "Anything else?", pt = "Mais alguma coisa?"}}

[[questions]]
when = "after"
name = "last"
kind = "text"
text = {{en = "Last words?", pt = "Últimas palavras?"}}

[thanks]
text = {{en = "Thank you!", pt = "Obrigado!"}}
"""


def plan(
    opponents=("cautious", "bluffer"),
    order="williams",
    matches=1,
    target=8,
    lost_after=48,
    more="",
    sees="[sees]\npace = 300",
    practice=PRACTICE,
):
    """Return the text of a plan; an opponent is an agent, or the text of its table in the file."""
    listed = ", ".join(spec if spec.startswith("{") else f'{{agent = "{spec}"}}' for spec in opponents)
    facts = {"order": order, "matches": matches, "target": target, "lost_after": lost_after, "more": more, "sees": sees}
    return PLAN.format(opponents=listed, practice=practice, **facts)


class Guest:
    """A participant over HTTP."""

    def __init__(self, served, study, token):
        self.served, self.study, self.token = served, study, token
        self.heard = []  # all headers and bodies of responses

    def get(self, path="me", token=None, **query):
        return self._hear(self.served.get(f"/api/studies/{self.study}/{path}", token or self.token, **query))

    def post(self, path, body):
        return self._hear(self.served.post(f"/api/studies/{self.study}/{path}", body, self.token))

    def _hear(self, answer):
        self.heard.append(repr(sorted(answer.headers.items())) + answer.text)
        return answer

    def me(self):
        answer = self.get()
        assert answer.status_code == 200, answer.text
        return answer.json()

    def do(self, answers=None, step=None):
        """Answer a step, by default the current one."""
        number = self.me()["step"]["number"] if step is None else step
        return self.post("me", {"step": number, "answers": answers or {}})

    def play(self):
        """Play the match of the step to its end."""
        step = self.me()["step"]
        play_by_http(self.served, step["match"], step["token"])

    def go(self, until="thanks", place=0, fun=4):
        """Answer all steps before a step, and return that step."""
        while True:
            step = self.me()["step"]
            if step["name"] == until and step.get("place", 0) >= place:
                return step
            if step["name"] == "thanks":
                raise AssertionError(f"there is no {until}, {place}")
            if step["name"] in ("practice", "match"):
                self.play()
            answers = {"consent": {"agree": True}, "questions": {"fun": fun}, "before": {"years": "long"}}
            done = self.do(answers.get(step["name"]), step["number"])
            assert done.status_code == 200, done.text
