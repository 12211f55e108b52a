"""The stages of the case-based agents: as published and ours, tables and figures of small runs."""

from dataclasses import asdict, replace
from itertools import combinations

import numpy as np

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.cycle import OURS, CaseBasedOptions
from bolicho.agents.cbr.retain import CLEANINGS, MEMBERSHIPS
from bolicho.agents.cbr.reuse import TEN_BEST
from bolicho.agents.cbr.truco import TRUCO
from bolicho.lab.cbr import learning, published, stages
from bolicho.lab.cbr.mirrored_matches import CaseBasedSpec, League, play_all
from bolicho.lab.study import Effort


def test_stages_run_with_the_published_options_and_with_ours(tmp_path):
    *as_published, ours = stages.stage_1_readings(Effort(False, 1, 1, tmp_path))
    assert [one.options.victory for one in as_published] == ["share", "count", "bar"] and ours.options == OURS
    chosen = published.AS_PUBLISHED
    for one in as_published:
        assert one.options == CaseBasedOptions(
            0.75, "clusters", "published", one.options.victory, chosen.points, chosen.small_clusters, chosen.minimum
        )
        assert scope_of(one.base) == published.SCOPES[chosen.scope]


def scope_of(base):
    """Return membership and cleaning of an initial base, by its cases."""
    cases = load_base(base, TRUCO).cases
    assert len(cases) == published.BASELINE_CASES and len(set(cases["every_round"])) == 1
    return MEMBERSHIPS[int(cases["every_round"][0])], CLEANINGS[int(cases["unfit"].any())]


def test_options_change_one_at_a_time(tmp_path):
    """Compare every variation with its end, from which it differs in one option or in the base."""
    readings = stages.variations(Effort(False, 1, 1, tmp_path))
    ends = {one.name: one for one in readings if "but" not in one.name}
    assert ends["ours"] == stages.Reading("ours", "", OURS, "baseline") and len(ends) == 2
    (as_published,) = (one for name, one in ends.items() if name != "ours")
    assert as_published.options == published.as_published(published.LOW)
    assert scope_of(as_published.base) == published.SCOPES[published.AS_PUBLISHED.scope]
    changed = {name: [] for name in ends}
    for one in readings:
        name, _, option = one.name.partition(", but ")
        if not option:
            continue
        end, (field, _, value) = ends[name], option.partition("=")
        if field in ("membership", "cleaning"):
            assert one.options == end.options
            expected = dict(zip(("membership", "cleaning"), scope_of(end.base), strict=True))
            assert expected[field] != value and scope_of(one.base) == tuple((expected | {field: value}).values())
        else:
            new = asdict(one.options).items() - asdict(end.options).items()
            assert new == {(field, getattr(one.options, field))} and one.base == end.base
        changed[name].append(field)
    fields = ["threshold", "retrieval", "revise", "points", "small_clusters", "victory", "victory"]
    assert all(found == [*fields, "membership", "cleaning"] for found in changed.values())


def test_the_published_end_of_the_options_is_that_of_stage_1(tmp_path):
    effort = Effort(False, 1, 1, tmp_path)
    (best,) = (one for one in stages.stage_1_readings(effort) if one.slug == published.AS_PUBLISHED.victory)
    as_published = stages.variations(effort)[0]
    assert (as_published.options, as_published.base) == (best.options, best.base)


def test_stages_2_and_3_learn_a_base_as_published(tmp_path, monkeypatch):
    monkeypatch.setattr(learning, "_cases", lambda effort: 3300)
    effort = Effort(False, 1, 1, tmp_path)
    readings = stages.stage_2_readings(effort)
    assert {one.options.threshold for one in readings[:6]} == {0.75, 0.98} and readings[-1].options == OURS
    for one in readings[:6]:
        made = load_base(one.base, TRUCO).made
        assert (made["keep"], made["retrieval"], made["revise"]) == ("hand", "clusters", "published")
        wanted = asdict(one.options) | {"threshold": 0.98}
        assert {name: made.get(name, default) for name, default in asdict(OURS).items()} == wanted
        assert made.get("membership", "begun") == published.SCOPES[published.AS_PUBLISHED.scope][0]
    assert [one.options.victory for one in readings[:6]] == 2 * ["share", "count", "bar"]
    assert {one.base for one in readings[6:]} == {"learned"}  # effect of the base, apart from the options
    assert all(one.options.threshold == 0.98 for one in stages.stage_3_readings(effort))


ONE, OTHER = stages.Reading("one", "one", OURS), stages.Reading("other", "other", OURS)


def test_tables_and_figures_of_the_stages(three):
    found = [(ONE, three), (OTHER, three)]
    order = ("pvcnps", "nps")
    rows = stages.shares_table("t", found, order).rows
    assert [row[:2] for row in rows] == [["pvcnps", 1], ["nps", 2], ["pvs", "below half"]]
    assert rows[1][2] == three.share("nps") == rows[1][3]
    counts = stages.wins_table("t", found, order, 25).rows
    assert sum(row[2] for row in counts) == 150
    headline = stages.headline_table("t", found).rows
    assert headline[0][1] == ", ".join(three.order) and headline[0][3] == three.order.index("pvcnps") + 1
    assert headline[-1][0] == "(published)" and headline[-1][5] == "8 of 10"
    assert len(stages.wins_figure("f", three, 25, "c").plot.axes[0].patches) == 3
    assert len(stages.opponents_figure("nps", found, 14).plot.axes[0].patches) == 4
    assert stages.options_figure(found).plot.axes
    did = stages.behaviour_table("t", three).rows
    assert [row[:2] for row in did] == [["nps", "aggressive"], ["pvs", "conservative"], ["pvcnps", None]]
    assert did[0][2].estimate == three.behaviour("nps", "accepts truco")


def test_behaviour_without_opportunities_is_a_dash(three):
    never = {pair: np.zeros_like(did) for pair, did in three.did.items()}
    assert stages.behaviour_table("t", replace(three, did=never)).rows[0][2:] == [None] * 6


def test_table_16_has_the_four_best_by_reading():
    rng = np.random.default_rng(1)
    scores = {pair: rng.permuted(np.tile([24, 15], (30, 2, 1)), axis=2) for pair in combinations(TEN_BEST, 2)}
    rows = stages.table_16([(OTHER, League(scores))]).rows
    assert [row[0] for row in rows] == list(published.TABLE_16)
    assert (rows[1][2].estimate.value, rows[1][2].published) == (9, 6.03) and rows[1][3].estimate.value == -9


def test_a_policy_without_luck_gains_nothing_from_its_own_base(tmp_path):
    effort = Effort(False, 1, 1, tmp_path)
    me = CaseBasedSpec("nps", "baseline")
    (scores,) = play_all(effort, [(me, me)], 25, 1)
    (row, published_row) = stages.improvements_table([(OTHER, {"nps": scores})]).rows
    assert row[1] == "25 of 50" and row[2].estimate.value == 0.5 and row[3:] == ["0 of 1", "nps"]
    assert published_row[1] == "287 of 500" and published_row[3] == "7 of 10"
    assert len(stages.learned_figure(OTHER, {"nps": scores}).plot.axes[0].patches) == 2
