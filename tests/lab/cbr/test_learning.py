"""What the learned base depends on."""

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.truco import TRUCO
from bolicho.lab.cbr.learning import WAYS, growth_figure, kept_table


def test_judging_hands_one_by_one_leaves_out_refused_bets():
    everything, by_matches, by_hands = kept_table(1, 30).rows
    assert everything[1] >= by_matches[1] > by_hands[1]
    assert by_hands[3].estimate.high < everything[3].estimate.low


def test_ways_of_learning_start_with_the_package_s_own():
    usual = load_base("learned", TRUCO).made
    assert (usual["keep"], usual["rivals"]) == (WAYS[0].keep, WAYS[0].rivals)
    figure = growth_figure([("a", [1, 2]), ("a", [1, 3]), ("b", [2, 4])])
    labels = figure.plot.axes[0].get_legend_handles_labels()[1]
    assert labels == ["a", "b", "published"]
