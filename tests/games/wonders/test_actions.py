"""The numbers of actions, and the seats of neighbours."""

from bolicho.games.wonders import layout as st
from bolicho.games.wonders.actions import action_of, card_of, kind_of, left_in, split_of, unsplit
from bolicho.games.wonders.cards import NUM_CARDS
from bolicho.games.wonders.rules import MAX_PLAYERS, MIN_PLAYERS, left_seat, right_seat


def test_every_action_number_encodes_one_kind_card_and_way_of_paying():
    cheapest = {action_of(kind, card): (kind, card) for kind in range(len(st.KINDS)) for card in range(NUM_CARDS)}
    assert sorted(cheapest) == list(range(st.SPLIT))
    ways = {
        split_of(action, left): (action, left)
        for action, (kind, _) in cheapest.items()
        if kind <= st.WONDER
        for left in range(st.MAX_LEFT + 1)
    }
    assert sorted(ways) == list(range(st.SPLIT, st.NUM_ACTIONS))
    for action, (kind, card) in cheapest.items():
        assert (unsplit(action), kind_of(action), card_of(action)) == (action, kind, card)
    for number, (action, left) in ways.items():
        assert (unsplit(number), left_in(number)) == (action, left)
        assert (kind_of(number), card_of(number)) == cheapest[action]


def test_neighbours_sit_around_a_table():
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        assert [left_seat(seat, players) for seat in range(players)] == [*range(1, players), 0]
        assert all(right_seat(left_seat(seat, players), players) == seat for seat in range(players))
