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
