import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bolicho import BadInput
from bolicho.arena.experiment import Experiment
from tests.arena.players import HOME

experiments = st.builds(
    Experiment,
    game=st.just("truco"),
    agents=st.lists(
        st.one_of(
            st.sampled_from(["random", f"{HOME}:First", f"{HOME}:Raises(after=3, kind=OSError)"]),
            st.floats(0, 1).map(lambda nap: f"{HOME}:Sleepy(nap={nap})"),
        ),
        min_size=1,
        max_size=6,
        unique=True,
    ),
    rules=st.fixed_dictionaries({}, optional={"target": st.integers(1, 30), "flor": st.booleans()}),
    duplicates=st.integers(1, 1000),
    seed=st.integers(0, 2**63 - 1),
    move_limit=st.none() | st.floats(0.001, 1000),
)


@settings(deadline=None)
@given(experiments)
def test_experiment_is_unchanged_by_a_round_trip_through_toml(experiment):
    again = Experiment.from_toml(experiment.to_toml())
    assert again == experiment
    assert again.hash == experiment.hash
    assert again.to_toml() == experiment.to_toml()


@settings(deadline=None)
@given(experiments, experiments)
def test_only_the_same_experiment_has_the_same_hash(one, other):
    assert (one == other) == (one.hash == other.hash)


def test_equivalent_specs_and_rules_give_equal_experiments():
    plain = Experiment("truco", [f"{HOME}:Raises(after=3, kind=OSError)"])
    written = Experiment("truco", [f" {HOME}:Raises( kind=OSError ,after = 3)"], rules={"target": 24})
    assert plain == written
    assert plain.hash == written.hash
    assert Experiment("truco", ["random"], move_limit=2) == Experiment("truco", ["random"], move_limit=2.0)


def test_quotes_are_kept_only_where_needed():
    experiment = Experiment("truco", [f"{HOME}:Raises(kind='3')"])
    assert experiment.agents == (f"{HOME}:Raises(kind='3')",)
    assert Experiment("truco", [f"{HOME}:Raises(kind='OSError')"]).agents == (f"{HOME}:Raises(kind=OSError)",)


def test_minimal_file_is_read():
    experiment = Experiment.from_toml(
        """
        # who is better?
        game = "truco"
        agents = ["random", "tests.arena.players:First"]
        duplicates = 10
        [rules]
        target = 12
        """
    )
    assert experiment == Experiment("truco", ["random", f"{HOME}:First"], {"target": 12}, duplicates=10)
    assert experiment.seed is None, "an external agent plays, so the run draws the seed"
    assert experiment.num_games == 20
    assert experiment.make_game().rules.target == 12


GOOD = 'game = "truco"\nagents = ["random"]\n'

BAD = {
    "no TOML": ("game = truco", "this is not TOML: "),
    "no game": ('agents = ["random"]', 'game is missing; write for instance game = "truco"'),
    "no agents": ('game = "truco"', "agents is missing"),
    "empty agents": ('game = "truco"\nagents = []', "agents is empty"),
    "one agent as text": ('game = "truco"\nagents = "random"', "agents must be a list of agents"),
    "numbers as agents": ('game = "truco"\nagents = [1]', "agents must be a list of agents"),
    "unknown key": (GOOD + "duplicate = 3", "unknown key of experiment 'duplicate' (did you mean 'duplicates'?)"),
    "unknown game": ('game = "trucco"\nagents = ["random"]', "unknown game 'trucco' (did you mean 'truco'?)"),
    "game not a text": ('game = 3\nagents = ["random"]', "game must be a name, not 3"),
    "unknown agent": ('game = "truco"\nagents = ["randon"]', "unknown agent 'randon' (did you mean 'random'?)"),
    "unreadable agent": ('game = "truco"\nagents = ["random("]', "cannot read the agent 'random('"),
    "an agent twice": ('game = "truco"\nagents = ["random", "random()"]', "the agent random is listed twice"),
    "no duplicates": (GOOD + "duplicates = 0", "duplicates must be 1 to "),
    "half a duplicate": (GOOD + "duplicates = 0.5", "duplicates must be a whole number, not 0.5"),
    "true duplicates": (GOOD + "duplicates = true", "duplicates must be a whole number, not True"),
    "negative seed": (GOOD + "seed = -1", "seed must be 0 to 2**63 - 1, not -1"),
    "seed as text": (GOOD + 'seed = "7"', "seed must be a whole number, not '7'"),
    "no time": (GOOD + "move_limit = 0", "move_limit must be more than 0 seconds, not 0"),
    "time as text": (GOOD + 'move_limit = "1 s"', "move_limit must be a number of seconds, not '1 s'"),
    "unknown rule": (GOOD + "[rules]\ntargets = 12", "unknown rule of truco 'targets' (did you mean 'target'?)"),
    "impossible rule": (GOOD + "[rules]\ntarget = 0", "target must be 1 to 1000"),
    "rules not a table": (GOOD + "rules = 3", "rules must be a table of rules and values, not 3"),
}


@pytest.mark.parametrize(("text", "sentence"), BAD.values(), ids=BAD.keys())
def test_invalid_file_is_refused_with_a_message(text, sentence):
    with pytest.raises(BadInput) as problem:
        Experiment.from_toml(text)
    assert sentence in str(problem.value)


def test_missing_file_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="cannot read the experiment"):
        Experiment.read(tmp_path / "nothing.toml")
