"""Published numbers of the case-based agents, which add up or are known not to."""

from bolicho.agents.cbr.reuse import POLICIES, TEN_BEST
from bolicho.agents.cbr.truco import TRUCO
from bolicho.lab.cbr import people, published, stages


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
    """Return the numbers of matches whose mean of whole points, rounded or cut to two places, is the printed mean."""
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


def rounded_fitting(mean, least):
    """Return the fewest matches, at least `least`, whose mean of whole points is this when rounded to two places."""
    return next(n for n in range(least, 100) if any(abs(s / n - mean) <= 0.005 for s in range(24 * n + 1)))


def test_rounded_means_of_table_17_fit_more_matches_than_were_counted():
    """Compare 18 matches of pvcnps, 16 of nps, 20 of pvcs and 19 of pvs with wins that are counted over 13."""
    fits = {
        policy: (rounded_fitting(in_wins, wins), rounded_fitting(-in_losses, 1))
        for policy, (wins, in_wins, in_losses) in published.TABLE_17.items()
    }
    assert fits == published.TABLE_17_FITS
    assert [sum(fit) for fit in fits.values()] == [18, 16, 20, 19]
    assert min(map(sum, fits.values())) > published.STAGE_4_MATCHES
    assert rounded_fitting(12.0, published.STAGE_4_MATCHES - published.TABLE_17["pvs"][0]) == 8
    for total, name in zip((18, 16, 20, 19), fits, strict=True):
        assert f"{total} ({fits[name][0]} + {fits[name][1]}, {name})" in people.FITS
