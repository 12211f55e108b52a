"""What was published of the case-based agents adds up, or is known not to."""

from bolicho.agents.cbr.reuse import POLICIES, TEN_BEST
from bolicho.agents.cbr.truco import TRUCO
from bolicho.lab.cbr import published, stages


def test_published_group_sizes_add_up_to_their_totals():
    for number, (sizes, total) in enumerate(zip(published.GROUP_SIZES, published.GROUP_TOTALS, strict=True)):
        assert sum(sizes) == total, TRUCO.clusterings[number]
    assert sum(published.GROUPS[:14]) == 67 and len(published.GROUPS) == len(TRUCO.clusterings)
    fewer = [i for i, sizes in enumerate(published.GROUP_SIZES) if len(sizes) != published.GROUPS[i]]
    assert fewer == [2, 3]  # two tables of appendix B list one group fewer than table 6 counts


def test_published_counts_are_those_of_the_design():
    assert (len(POLICIES) - 1) * 2 * stages.DUPLICATES == published.STAGE_1_MATCHES
    assert (len(TEN_BEST) - 1) * 2 * stages.DUPLICATES == published.STAGE_3_MATCHES
    assert len(TEN_BEST) * 2 * stages.DUPLICATES == published.STAGE_2_MATCHES
    assert published.STAGE_1_ORDER == TEN_BEST and set(published.STAGE_3_ORDER) <= set(TEN_BEST)


def test_table_12_lacks_the_share_that_appendix_b_gives():
    sizes = sorted(published.GROUP_SIZES[1], reverse=True)
    shares = [size / published.GROUP_TOTALS[1] for size in sizes]
    assert [round(share, 4) for share in shares[:3]] == [share for _, share in published.TABLE_12[:3]]
    assert round(shares[3], 4) == 0.0652 != published.TABLE_12[3][1]


def fitting(mean):
    """Numbers of matches of which a printed mean can be the mean of whole points, rounded or cut to two places."""
    found = set()
    for matches in range(1, 24):
        for points in range(round(abs(mean) * matches) - 1, round(abs(mean) * matches) + 2):
            exact = points / matches
            if abs(mean) in (round(exact, 2), int(100 * exact + 1e-9) / 100):
                found.add(matches)
    return found


def test_means_of_table_17_fit_more_matches_than_were_counted():
    wins = {policy: fitting(won) for policy, (_, won, _) in published.TABLE_17.items()}
    losses = {policy: fitting(lost) for policy, (_, _, lost) in published.TABLE_17.items()}
    assert wins["pvcnps"] == {4, 8, 12, 16, 20} and min(losses["pvcnps"]) == 10
    assert min(wins["nps"]) == 7 and min(losses["nps"]) == 9
    assert losses["pvcs"] == {15, 19, 23} and min(wins["pvs"]) == 7
    fewest = {policy: min(wins[policy]) + min(losses[policy]) for policy in published.TABLE_17}
    assert fewest == {"pvcnps": 14, "nps": 16, "pvcs": 16, "pvs": 8}  # 13 were counted
