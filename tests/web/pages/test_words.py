"""JavaScript of the pages compared with Python: i18n.js with i18n/__init__.py, sha256.js with hashlib."""

import hashlib
import random

import pytest

from bolicho.games import game as make_game
from bolicho.i18n import LANGUAGES, Message, Seat, Several, catalogue
from bolicho.web.fair_deals import commitment, deal_seed

NAMES = ["Ana", "Beto {x}", "Caio", "Dora", "Enzo", "Flor", "Gil"]
SAY = """async ([language, said, names]) => {
  const {load} = await import("/a/i18n.js");
  const words = await load(language);
  return said.map(one => words.say(one, names));
}"""
HASH = """async (texts) => {
  const {hex, sha256, unhex} = await import("/a/sha256.js");
  return texts.map(text => hex(sha256(unhex(text))));
}"""
SEED = """async (deals) => {
  const {commitmentOf, dealSeed} = await import("/a/sha256.js");
  return deals.map((deal) => [commitmentOf(deal), dealSeed(deal)]);
}"""
GAMES = [("truco", {}), ("dominoes", {}), ("fives", {}), ("wonders", {"players": 4}), ("wonders", {"trade": "choose"})]


def said_in_games():
    """Return all messages of some random games: entries of the log, names of actions, help texts."""
    found = {}
    for seed, (name, rules) in enumerate(GAMES):
        luck = random.Random(seed)
        table = make_game(name, **rules).deal(seed)
        while table.turn is not None and table.ply < 120:
            view = table.view(table.turn)
            found |= {repr(said): said for _, said in table.game.kind.action_help(view)}
            named = [table.game.kind.name_action(view.state, action) for action in view.legal]
            found |= {repr(said): said for said in named}
            table.play(luck.choice(list(view.legal)))
        found |= {repr(said): said for said in map(table.game.kind.said, table.log)}
    return list(found.values())


@pytest.fixture(scope="module")
def page(browser, app_state):
    """A page of the server, for calls to its modules."""
    page = browser.new_page()
    page.goto(app_state.base)
    yield page
    page.close()


ODD = [
    Message("page.and"),
    *(Message("terminal.plain", text=text) for text in ("{points}", "a {{b}}", "<b>ç & ñ</b>", "$1 $& $`", "")),
    *(Message("terminal.plain", text=Several(parts, joined)) for parts in ([], ["a"], ["a", Seat(1)], [1, 2.5, Seat(9)])
      for joined in ("and", "or", ",")),
    *(Message("terminal.plain", text=number) for number in (0, -1, 0.125, 0.375, 2.675, -0.5, 1e6, 10.0)),
]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_and_python_make_the_same_sentences(page, language):
    said = [*said_in_games(), *ODD]
    assert len(said) > 400
    told = page.evaluate(SAY, [language, [one.as_json() for one in said], NAMES])
    for one, text in zip(said, told, strict=True):
        assert text == catalogue(language).say(one, NAMES), one


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_and_python_round_numbers_alike(page, language):
    luck = random.Random(5)
    values = [luck.choice([luck.random(), luck.randrange(2000) / 1000, luck.randrange(400) / 32]) for _ in range(300)]
    templates = {f"x.{form}": f"{{value:{form}}}" for form in ("%", "0", "1", "2", "3")}
    say = """async ([language, templates, said]) => {
      const {Catalogue} = await import("/a/i18n.js");
      return said.map(one => new Catalogue(language, templates).say(one));
    }"""
    said = [Message(key, value=value) for key in templates for value in values]
    told = page.evaluate(say, [language, templates, [one.as_json() for one in said]])
    ours = type(catalogue(language))(language, templates)
    assert told == [ours.say(one) for one in said]


def test_hash_function_of_the_page_is_sha_256(page):
    luck = random.Random(6)
    data = [luck.randbytes(length) for length in [*range(140), 1000, 4097, 100_000]]
    assert page.evaluate(HASH, [one.hex() for one in data]) == [hashlib.sha256(one).hexdigest() for one in data]


@pytest.mark.parametrize("version", [1, 2])
def test_page_and_python_compute_the_same_commitment_and_seed(page, version):
    luck = random.Random(7)
    sent, made = [], []
    for seats in range(2, 8):
        secret, nonces = luck.randbytes(32), [luck.choice([None, luck.randbytes(16)]) for _ in range(seats)]
        about = {"match": "abc", "game": "truco", "rules": {"target": 12, "flor": False, "a": 'Zé "\\\x7f'}}
        players = ["Ñandú", "\u2028\U0001f0a1", "a\u200db", "Ana\t<b>", "", "/", "\x1f"][:seats]
        terms = {**about, "agents": [None, "mcts(iterations=200)", True, *[None] * 4][:seats], "players": players}
        sent.append(
            {**terms, "version": version, "secret": secret.hex(), "nonces": [one and one.hex() for one in nonces]}
        )
        covered = None if version == 1 else terms
        made.append([commitment(secret, covered), str(deal_seed(secret, nonces, covered))])
    assert page.evaluate(SEED, sent) == made
