"""Agent specs, their options, and the errors for invalid ones."""

import numpy as np
import pytest

from bolicho import Action, Agent, BadInput, agent, game
from bolicho.agents.play import play
from bolicho.agents.registry import agent_names, entries, find
from bolicho.agents.spec import parse_spec, write_spec
from bolicho.agents.training import train
from bolicho.games import BUILT_IN, game_names
from bolicho.games.game import Game
from tests.agents.specs import one_of_each
from tests.games.coins import COINS


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("balanced", "balanced", {}),
        ("pvcnps(base=learned)", "pvcnps", {"base": "learned"}),
        (" mcts ( iterations = 100, c=1.5 ) ", "mcts", {"iterations": 100, "c": 1.5}),
        ("x(a=true, b=[1, 2], c='s p')", "x", {"a": True, "b": [1, 2], "c": "s p"}),
        ("pimc(inner=mcts(iterations=3))", "pimc", {"inner": "mcts(iterations=3)"}),
        ("my_module:MyAgent", "my_module:MyAgent", {}),
    ],
)
def test_specs_are_read(spec, name, options):
    assert parse_spec(spec) == (name, options)
    assert parse_spec(write_spec(name, options)) == (name, options)


@pytest.mark.parametrize("spec", ["", "(", "a(b)", "a(b=)", "a(=1)", "a(b=1", "a(b=1,b=2)", "a b"])
def test_malformed_specs_are_refused(spec):
    with pytest.raises(BadInput):
        parse_spec(spec)


def test_errors_name_unknown_agents_and_options():
    with pytest.raises(BadInput, match="did you mean 'balanced'"):
        agent("balansed", "truco")
    with pytest.raises(BadInput, match="unknown option of balanced 'x'"):
        agent("balanced(x=1)")
    with pytest.raises(BadInput, match="cannot load the agent"):
        agent("no.such.module:Thing")


def test_agent_can_be_given_as_module_and_class():
    made = agent(f"{__name__}:Thinker(depth=3)")
    assert isinstance(made, Thinker) and made.depth == 3
    with pytest.raises(BadInput, match="option depth of"):
        agent(f"{__name__}:Thinker(depth=deep)")


def test_integer_is_accepted_for_a_float_option():
    assert agent(f"{__name__}:Thinker(weight=2)").weight == 2.0


class Thinker(Agent):
    def __init__(self, depth: int = 1, weight: float = 0.5) -> None:
        self.depth, self.weight = depth, weight


def test_every_registered_agent_can_be_made():
    for name in agent_names():
        assert isinstance(agent(name), Agent)


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """An installed package that adds an agent and a game."""
    (tmp_path / "pampa.py").write_text(
        "from bolicho import Agent\n"
        "from bolicho.games.truco import TRUCO as PAMPA_TRUCO\n"
        "class First(Agent):\n"
        "    'The first legal action.'\n"
        "    games = ('truco',)\n"
        "    def act(self, view, rng):\n"
        "        return view.legal[0]\n"
    )
    info = tmp_path / "pampa-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pampa\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[bolicho.agents]\nfirst = pampa:First\n[bolicho.games]\npampa = pampa:PAMPA_TRUCO\n"
    )
    monkeypatch.syspath_prepend(tmp_path)


def test_an_installed_package_adds_agents_and_games(plugin):
    assert "first" in agent_names("truco") and "first" not in agent_names("dominoes")
    assert find("first").games == ("truco", "pampa"), "which is Truco by another name"
    assert agent("first", "truco").act(game("truco").deal(1).view(0), None) == game("truco").deal(1).legal[0]
    assert "pampa" in game_names() and game("pampa").deal(1).legal == game("truco").deal(1).legal
    assert find("first").about == "The first legal action."


# --- Invalid agents -------------------------------------------------------------------------------


class Needs(Agent):
    def __init__(self, depth, weight: float = 0.5) -> None:
        self.depth = depth


class BreaksWhenMade(Agent):
    def __init__(self, kind: str = "ZeroDivisionError") -> None:
        raise getattr(__import__("builtins"), kind)("not today")


class ReprRaises(Agent):
    def __init__(self, courage: int = 1) -> None:
        pass

    def __repr__(self) -> str:
        raise RuntimeError("nothing to show")

    def act(self, view, rng):
        return view.legal[0]


def makes_no_agent() -> int:
    return 7


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("os:path", "os:path is not an agent but a module; name a class that derives from bolicho.Agent"),
        ("builtins:int", "builtins:int is not an agent but a type"),
        ("math:pi", "math:pi is not an agent but a float"),
        (f"{__name__}:makes_no_agent", "makes a int, not a bolicho.Agent"),
        (f"{__name__}:Needs", r"needs the option depth: write .*Needs\(depth=...\)"),
        (f"{__name__}:BreaksWhenMade", r"cannot be made: ZeroDivisionError: not today \(test_registry.py, line "),
        (f"{__name__}:BreaksWhenMade(kind=SystemExit)", "cannot be made: SystemExit: not today"),
    ],
)
def test_spec_that_makes_no_agent_is_bad_input(spec, says):
    with pytest.raises(BadInput, match=says):
        agent(spec, "truco")


def test_an_option_without_default_can_be_given():
    assert agent(f"{__name__}:Needs(depth=3)").depth == 3


def test_agent_whose_repr_raises_can_play():
    assert play(game("truco", hands=1), [agent(f"{__name__}:ReprRaises"), agent("random")], 1).forfeit is None


@pytest.mark.parametrize("source", ["1 / 0", "raise SystemExit(3)", "def broken(:", "import no_such_module"])
def test_module_that_fails_to_import_is_bad_input(source, tmp_path, monkeypatch):
    name = f"breaks_{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput, match=f"cannot load the agent '{name}:X': "):
        agent(f"{name}:X")


def test_broken_plugin_is_listed_as_broken_and_others_stay_available(plugin, tmp_path):
    (tmp_path / "tapera.py").write_text("1 / 0")
    points = tmp_path / "pampa-1.0.dist-info" / "entry_points.txt"
    more = "crumbled = tapera:Wall\nodd = pampa\nnumber = math:pi\n"
    points.write_text(points.read_text().replace("[bolicho.games]", more + "[bolicho.games]"))
    about = {entry.name: entry.about for entry in entries()}
    assert about["first"] == "The first legal action." and "random" in about
    assert about["crumbled"].startswith("broken: cannot load the agent 'crumbled': ZeroDivisionError")
    assert about["odd"].startswith("broken: ") and about["number"].startswith("broken: ")
    assert not {"crumbled", "odd", "number"} & set(agent_names())
    with pytest.raises(BadInput, match="the agent crumbled is broken: "):
        agent("crumbled", "truco")


class ForThree(Agent):
    def plays(self, game):
        return None if game.seats == 3 else f"three play, not {game.seats}"

    def act(self, view, rng):
        return view.legal[0]


class BadPlays(Agent):
    def plays(self, game):
        raise ZeroDivisionError("who knows")


def test_method_plays_decides_which_games_an_agent_accepts():
    assert agent(f"{__name__}:ForThree", "wonders") and agent(f"{__name__}:ForThree", game("wonders"))
    for other in (game("wonders", players=4), "truco"):
        with pytest.raises(BadInput, match=r"ForThree does not play (wonders|truco): three play, not [24]"):
            agent(f"{__name__}:ForThree", other)
    with pytest.raises(BadInput, match="BadPlays failed to report which games it plays: ZeroDivisionError: who knows"):
        agent(f"{__name__}:BadPlays", "truco")


def test_alphabeta_is_listed_only_for_two_player_zero_sum_games():
    assert find("alphabeta").games == ("truco", "dominoes", "fives") and find("mcts").games is None


# --- Built-in agents ------------------------------------------------------------------------------

MORE = [("truco", "pvcnps(base=baseline)"), ("dominoes", "pimc(worlds=2, inner=mcts, budget=5)")]
"""Specs with options that name another base or another search."""


@pytest.mark.parametrize(("name", "spec"), [(name, spec) for name in BUILT_IN for spec in one_of_each(name)] + MORE)
def test_built_in_agent_returns_a_legal_action(name, spec):
    table = game(name).deal(4)
    for turn in range(6):
        player = agent(spec, table.game)
        player.begin(table.game, table.turn)
        view = table.open_view(table.turn) if player.oracle else table.view()
        chosen = player.act(view, np.random.default_rng(turn))
        assert type(chosen) is Action and chosen.number in view.numbers
        table.play(chosen)
        if table.over:
            break


# --- Rules of learned agents ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "name", "rules"),
    [
        ("sarsa", "dominoes", {"reserve": 2}),
        ("sarsa", "fives", {"multiple": 3}),
        ("neural", "wonders", {"trade": "choose"}),
        ("dqn-plus", "wonders", {"trade": "choose"}),
        ("pvcnps(base=baseline)", "truco", {"flor": False}),
        ("markov", "truco", {"envido_first": True}),
        ("markov-plus", "truco", {"face_down": False}),
    ],
)
def test_learned_agent_refuses_rules_it_was_not_trained_on(spec, name, rules):
    (rule,) = rules
    with pytest.raises(BadInput, match=f"was made for the default rules, and this game has {rule}="):
        agent(spec, game(name, **rules))
    assert agent(spec, game(name))


def test_learned_truco_agents_accept_matches_of_every_length():
    for rules in ({"target": 12}, {"hands": 1}):
        for spec in ("pvcnps(base=baseline)", "markov", "markov-plus", "dqn-plus", "neural-plus", "sarsa"):
            assert agent(spec, game("truco", **rules))


def test_sarsa_plays_its_training_game_and_otherwise_names_the_training_command(tmp_path):
    file, coins = tmp_path / "truco.safetensors", Game(COINS)
    for name in ("sarsa", "sarsa-open"):
        with pytest.raises(BadInput, match=f"`bolicho train {name} coins` trains one"):
            agent(name, coins)
        spec = train(f"{name} truco(hands=1)", file, 1, {"games": 20}, show=False)["agent"]
        assert spec == f"{name}(artifact={file})"
        for rules in ({"hands": 1}, {}):
            assert (
                play(game("truco", **rules), [agent(spec, game("truco", **rules)), agent("random")], 1).forfeit is None
            )
        with pytest.raises(BadInput, match="was made for the default rules, and this game has flor=False"):
            agent(spec, game("truco", flor=False))
        with pytest.raises(BadInput, match="has game 'truco', not 'dominoes'"):
            agent(spec, game("dominoes"))


def test_neural_agents_refuse_games_without_nets():
    for spec in ("dqn-plus", "neural-plus"):
        with pytest.raises(BadInput, match=f"{spec} does not play coins: it has no nets for this game"):
            agent(spec, Game(COINS))
    with pytest.raises(BadInput, match="dqn does not play truco: the nets dqn-wonders were trained on wonders"):
        agent("dqn", "truco")
