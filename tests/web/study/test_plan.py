"""Strict reading of plans: every error is one sentence that names its place."""

import re
from dataclasses import asdict

import pytest

from bolicho.agents.cbr.cycle import OURS
from bolicho.agents.spec import parse_spec, write_spec
from bolicho.errors import BadInput
from bolicho.i18n import LANGUAGES
from bolicho.lab.cbr import published
from bolicho.web.study.participation import way
from bolicho.web.study.plan import check_agents, played_spec, read_file, read_plan, shipped
from tests.web.study.plans import plan

GOOD = plan()


def test_valid_plan_is_read():
    read = read_plan(GOOD)
    assert read.opponents == ("cautious", "bluffer") and read.rules == {"target": 4} and read.lost_after == 48
    assert read.sees.names == "neutral" and not read.sees.why and read.sees.pace == 300
    assert [(q.when, q.name, q.kind) for q in read.questions][:2] == [
        ("before", "years", "choice"),
        ("match", "fun", "scale"),
    ]
    check_agents(read)


FAULTS = {
    "not a table": ('title = {en = "Four of a kind", pt = "Quatro iguais"}', 'title = "x"', "title must be a table"),
    "a language missing": (', pt = "Quatro iguais"', "", "title has no text in 'pt', a language of the study"),
    "a language too many": ('"Quatro iguais"', '"Q", es = "C"', "title has a text in 'es', which is not a language of"),
    "an unknown language": ('["en", "pt"]', '["en", "fr"]', "unknown language 'fr'"),
    "no game": ('game = "truco"', "", 'game is missing; write for instance game = "'),
    "an unknown game": ('game = "truco"', 'game = "truc"', "unknown game 'truc' (did you mean 'truco'?)"),
    "an unknown rule": ("rules = {target = 4}", "rules = {points = 2}", "rules: unknown rule"),
    "no opponents": ('[{agent = "cautious"}, {agent = "bluffer"}]', "[]", "must name 1 to 12 opponents, not 0"),
    "an opponent twice": ('{agent = "bluffer"}', '{agent = "cautious"}', "opponent 2: cautious is listed twice"),
    "a person as opponent": ('"bluffer"', '"human"', "opponent 2: agent: a person is not an agent"),
    "an unreadable opponent": ('"bluffer"', '"bluffer("', "opponent 2: agent: cannot read the agent"),
    "an unknown order": ('order = "williams"', 'order = "latin"', "unknown order 'latin'"),
    "no target": ("target = 8", "", "target is missing"),
    "a target of nobody": ("target = 8", "target = 0", "target must be 1 to 100000, not 0"),
    "a target in words": ("target = 8", 'target = "8"', "target must be a whole number, not '8'"),
    "hours": ("lost_after = 48", "lost_after = -1", "lost_after must be a number of hours, not -1"),
    "no day": ("retention = 2020-01-31", 'retention = "soon"', "retention must be a day, not 'soon'"),
    "days in disorder": ("retention = 2020-01-31", "retention = 2020-01-31\nends = 2020-02-01", "comes before"),
    "a room": ('room = "casa-1"', 'room = "casa 1"', "room must be 1 to 64 letters"),
    "an unknown key": ('game = "truco"', 'game = "truco"\ncolour = "red"', "unknown key 'colour'"),
    "an unknown key inside": ("pace = 300", "pace = 300\nspeed = 2", "[sees]: unknown key 'speed'"),
    "reasons under neutral names": ("pace = 300", "why = true", '[sees]: why = true shows explanations that name the'),
    "no consent": (re.search(r"\[consent\]\n.*\n.*\n", GOOD)[0], "", "consent is missing"),
    "no version": ('version = "v-7"\n', "", "[consent]: version is missing"),
    "an empty text": ('"Jogue como quiser."', '" "', "[instructions]: text has no text in 'pt'"),
    "a question's name": ('name = "fun"', 'name = "Fun!"', "question 2: name must be small letters"),
    "a question twice": ('name = "last"', 'name = "fun"', "question 4 (fun): name 'fun' is the name of an earlier"),
    "when": ('when = "after"', 'when = "later"', "question 4 (last): unknown when 'later'"),
    "a kind": ('kind = "scale"', 'kind = "stars"', "question 2 (fun): unknown kind 'stars'"),
    "points": ("points = 5", "points = 1", "question 2 (fun): points must be 2 to 11, not 1"),
    "no end": ('low = {en = "boring", pt = "chato"}\n', "", "question 2 (fun): low is missing"),
    "a choice twice": (
        'value = "long"',
        'value = "never"',
        "question 1 (years), choice 2: value 'never' is the value of an earlier",
    ),
    "a NUL character": ('version = "v-7"', 'version = "v\\u0000"', "[consent]: version must have no NUL character"),
    "a scale's key at a text": ('name = "last"', 'name = "last"\npoints = 5', "(last): unknown key 'points'"),
    "growing for nobody": ("[thanks]", '[grow]\nbase = "baseline"\n[thanks]', "[grow]: no opponent uses"),
    "people's hands, and no growing": ('"bluffer"', '"pvs(base=people)"', "so the plan needs a table [grow]"),
    "a practice with unknown rules": ("rules = {hands = 1}", "rules = {hand = 1}", "[practice]: rules: unknown rule"),
    "no TOML": ('room = "casa-1"', "room = ", "this is not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_error_in_a_plan_names_its_place(fault):
    before, after, said = FAULTS[fault]
    assert before in GOOD
    with pytest.raises(BadInput) as problem:
        read_plan(GOOD.replace(before, after, 1), "my.toml")
    assert str(problem.value).startswith("my.toml") and said in str(problem.value), problem.value
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("agent", "said"),
    [("rule", "does not play truco"), ("nobody", "unknown agent"), ("pvs(base=nothing)", "case base")],
)
def test_agents_of_a_plan_are_checked(tmp_path, agent, said):
    file = tmp_path / "plan.toml"
    file.write_text(plan(opponents=("cautious", agent)))
    with pytest.raises(BadInput, match=f"plan.toml, opponent 2: .*{said}"):
        read_file(file)


def test_missing_plan_file_is_reported(tmp_path):
    with pytest.raises(BadInput, match="cannot read the plan"):
        read_file(tmp_path / "none.toml")


def test_agent_with_a_growing_base_begins_with_the_named_base():
    grown = plan(opponents=("pvs(base=people, victory=share)", "novice")) + '[grow]\nbase = "baseline"\nevery = 2\n'
    read = read_plan(grown)
    assert played_spec(read, read.opponents[0]) == "pvs(base=baseline, victory=share)"
    assert played_spec(read, read.opponents[0], "x/base-0002.parquet") == "pvs(base=x/base-0002.parquet, victory=share)"
    assert played_spec(read, read.opponents[1], "x/base-0002.parquet") == "novice"


# --- Shipped plan -----------------------------------------------------------------------------------


def test_shipped_study_matches_the_published_study():
    read = read_plan(shipped())
    check_agents(read)
    assert [spec.partition("(")[0] for spec in read.opponents] == ["pvcnps", "nps", "pvcs", "pvs"]
    assert read.rules == {"target": 24} and read.order == "williams" and read.target % 4 == 0
    assert set(read.languages) == set(LANGUAGES)
    asked = {q.name: (q.low["pt"], q.high["pt"], q.points) for q in read.asked("match")}
    assert asked == {  # Paulus 2020, section 5.2.4
        "competence": ("muito fraco", "muito forte", 5),
        "coherence": ("incoerente", "muito coerente", 5),
        "unpredictability": ("muito previsível", "muito imprevisível", 5),
        "fun": ("chato", "muito divertido", 5),
    }
    assert [q.name for q in read.asked("before")] == ["age", "gender", "experience"]
    assert [(q.name, q.correct) for q in read.asked("after")] == [("attention", 2)]
    assert [step.name for step in way(read)].count("match") == 4


def test_agents_of_the_shipped_study_match_stage_4_as_published():
    """Paulus 2020, section 5.2.4 and table 17: four policies, threshold 0.98 (section 5.3, page 93)."""
    options = asdict(published.as_published(published.HIGH))
    assert (options.pop("weights"), options.pop("bluff")) == (OURS.weights, OURS.bluff)  # not from the document
    wanted = [parse_spec(write_spec(policy, {"base": "published", **options})) for policy in published.TABLE_17]
    assert [parse_spec(spec) for spec in read_plan(shipped()).opponents] == wanted
    assert options["threshold"] == 0.98 and list(published.TABLE_17) == ["pvcnps", "nps", "pvcs", "pvs"]


def test_text_answer_may_be_any_text_without_nul_up_to_a_length():
    [remarks] = [question for question in read_plan(plan()).asked("match") if question.kind == "text"]
    for text in ("", "\r", "=1+1", "\u2028", "x" * 2000):
        assert remarks.is_answer(text)
    for text in ("a\0b", "x" * 2001, 1, True):
        assert not remarks.is_answer(text)
