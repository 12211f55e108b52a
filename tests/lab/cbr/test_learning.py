"""Options of learning, and the bases that result."""

from dataclasses import asdict, replace

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.clusters import ALGORITHMS
from bolicho.agents.cbr.reuse import VICTORIES
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.training import find, options_of
from bolicho.lab.cbr import published
from bolicho.lab.cbr.learning import WAYS, _learn, growth_figure, kept_table, published_way


def test_judging_hands_one_by_one_leaves_out_refused_bets():
    everything, by_matches, by_hands = kept_table(1, 30).rows
    assert everything[1] >= by_matches[1] > by_hands[1]
    assert by_hands[3].estimate.high < everything[3].estimate.low


def test_first_way_of_learning_is_that_of_the_package():
    usual = load_base("learned", TRUCO).made
    assert (usual["keep"], usual["rivals"]) == (WAYS[0].keep, WAYS[0].rivals)
    figure = growth_figure([("a", [1, 2]), ("a", [1, 3]), ("b", [2, 4])])
    labels = figure.plot.axes[0].get_legend_handles_labels()[1]
    assert labels == ["a", "b", "published"]


def test_the_published_way_learns_in_every_reading_of_victory():
    as_published = [way for way in WAYS if "as published" in way.name]
    assert [way.options.victory for way in as_published] == list(published.PV_WORDS) and set(VICTORIES) == {
        *published.PV_WORDS
    }
    assert {replace(way.options, victory="bar") for way in as_published} == {published.as_published(published.HIGH)}
    assert len({way.file(1) for way in WAYS}) == len({way.name for way in WAYS}) == len(WAYS)


def test_the_training_cbr_published_has_the_options_of_the_published_way():
    way = published_way(published.AS_PUBLISHED)
    membership, cleaning = published.SCOPES[way.scope]
    wanted = {"keep": way.keep, "rivals": way.rivals, "membership": membership, "cleaning": cleaning}
    assert find("cbr-published").training.games["truco"] == {
        **wanted,
        "clustering": ALGORITHMS[0],
        **asdict(way.options),
    }
    assert options_of("cbr-published").items() >= {"cases": published.LEARNED_CASES, "base": "baseline"}.items()


def test_the_shipped_published_base_was_learned_the_published_way():
    base, way = load_base("published", TRUCO), published_way(published.AS_PUBLISHED)
    assert published.LEARNED_CASES <= len(base) < published.LEARNED_CASES + 100
    assert (base.made["keep"], base.made["from"]) == ("hand", "baseline")
    assert way.options.changed().items() <= base.made.items()
    assert (base.made["membership"], base.made["cleaning"]) == published.SCOPES[way.scope]


def test_a_way_of_learning_is_a_training_with_the_options_of_its_players(tmp_path):
    way = published_way(published.AS_PUBLISHED)
    _learn(way, 1, 3300, tmp_path / "base.parquet")
    made = load_base(str(tmp_path / "base.parquet"), TRUCO).made
    assert way.options.changed().items() <= made.items() and made["keep"] == way.keep
