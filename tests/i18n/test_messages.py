"""Messages, and the sentences that catalogues make of them."""

import json
import pickle

import pytest

from bolicho.errors import BadInput
from bolicho.i18n import LANGUAGES, Catalogue, Message, Refused, Seat, Several, catalogue, columns, plain, preferred

SMALL = {
    "a.points": "{who} scores {points} {points|point|points}",
    "a.share": "{share:%} of {all:1}",
    "a.braces": "{{{what}}}",
    "a.what": "{what}",
    "page.and": "and",
    "page.or": "or",
}
ENGLISH, PORTUGUESE = Catalogue("en", SMALL), Catalogue("pt", SMALL)


@pytest.mark.parametrize(("points", "sentence"), [(1, "Ana scores 1 point"), (0, "Ana scores 0 points")])
def test_singular_is_used_for_one_alone(points, sentence):
    assert ENGLISH.say(Message("a.points", who=Seat(0), points=points), ["Ana"]) == sentence


def test_numbers_are_written_in_the_format_of_the_language():
    said = Message("a.share", share=0.256, all=2.25)
    assert ENGLISH.say(said) == "26% of 2.2" and PORTUGUESE.say(said) == "26% of 2,2"
    assert PORTUGUESE.say(Message("a.what", what=0.125)) == "0,12" and ENGLISH.say(Message("a.what", what=2.0)) == "2"


def test_doubled_braces_are_braces():
    assert ENGLISH.say(Message("a.braces", what="x")) == "{x}"


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        (Seat(1), "Rui"),
        (Seat(5), "5"),
        ("{what}", "{what}"),
        (Message("a.what", what=Seat(0)), "Ana"),
        (Several([1, "b", Seat(0)]), "1, b and Ana"),
        (Several(["b", "c"], "or"), "b or c"),
        (Several(["b", "c"], ","), "b, c"),
        (Several(["b"]), "b"),
        (Several([]), ""),
    ],
)
def test_facts_are_written_by_their_type(fact, sentence):
    assert ENGLISH.say(Message("a.what", what=fact), ["Ana", "Rui"]) == sentence


def test_message_is_sent_to_pages_as_plain_json():
    said = Message("a.what", what=Several([Seat(0), Message("a.what", what=2)], "or"))
    wanted = ["a.what", {"what": {"several": [{"seat": 0}, ["a.what", {"what": 2}]], "with": "or"}}]
    assert json.loads(json.dumps(said.as_json())) == wanted
    assert (
        said == Message("a.what", what=Several([Seat(0), Message("a.what", what=2)], "or")) != Message("a.what", what=2)
    )


@pytest.mark.parametrize("said", [Message("a.nothing"), Message("a.points", points=1)])
def test_missing_key_or_fact_is_an_error(said):
    with pytest.raises(BadInput):
        ENGLISH.say(said)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "pt"),
        ({"LANG": "es_UY.UTF-8", "LC_ALL": ""}, "es"),
        ({"LANG": "pt_BR.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "pt_BR.UTF-8", "LC_MESSAGES": "en_US.UTF-8", "LC_ALL": "es"}, "es"),
        ({"LANG": "pt_BR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
    ],
)
def test_the_environment_chooses_the_language(environment, language):
    assert preferred(environment) == language


def test_an_unknown_language_is_refused_by_name():
    with pytest.raises(BadInput, match=r"unknown language 'fr'.*known: en, es, pt"):
        catalogue("fr")


def test_refusal_is_an_english_error_that_can_be_translated():
    problem = Refused(plain("no"))
    assert isinstance(problem, BadInput) and str(problem) == "no"
    assert {catalogue(language).say(problem.said) for language in LANGUAGES} == {"no"}
    again = pickle.loads(pickle.dumps(Refused(plain("no"), "seat 0 may not")))
    assert str(again) == "seat 0 may not" and again.said == plain("no")


def test_columns_are_aligned():
    assert columns([("you", "1e"), ("adversário", "-")]) == ["  you        1e", "  adversário -"]
