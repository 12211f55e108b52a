"""Deals that a seat cannot tell from the real one, by brute force.

A deal is possible when the second engine, given those cards, reports the same turns, scores and
announcements after every action.  No rule of inference is written down here.
"""

from collections.abc import Sequence
from itertools import combinations, permutations

from .reference import DECK, Reference

Deal = tuple[tuple[str, ...], tuple[str, ...]]
"""The other seat's cards, sorted, and those it played face down, in order."""


def public_trace(
    rules: dict, hands: Sequence[Sequence[str]], mao: int, scores: Sequence[int], actions: Sequence[str]
) -> list[tuple] | None:
    """Return turns, scores and announcements after every action; None when these cards cannot play the actions."""
    match = Reference(rules, lambda: hands, mao, scores)
    heard = [(match.turn, tuple(match.scores), tuple(match.hand.heard))]
    for action in actions:
        if action not in match.legal:
            return None
        match.play(action)
        heard.append((match.turn, tuple(match.scores), tuple(match.hand.heard)))
    return heard


def possible_deals(
    seat: int, rules: dict, hands: Sequence[Sequence[str]], mao: int, scores: Sequence[int], actions: Sequence[str]
) -> set[Deal]:
    """Return every deal of the first hand that `seat` cannot tell from the real one."""
    other = 1 - seat
    real = public_trace(rules, hands, mao, scores, actions)
    assert real is not None
    mine = [turn == seat for turn, _, _ in real]
    theirs = [action for action, is_mine in zip(actions, mine, strict=False) if not is_mine]
    shown = [action for action in theirs if action in DECK]
    hidden = sum(action.startswith("virada") for action in theirs)
    unseen = [card for card in DECK if card not in hands[seat] and card not in shown]
    found: set[Deal] = set()
    for rest in combinations(unseen, 3 - len(shown)):
        guess = [*shown, *rest]
        for down in permutations(rest, hidden):
            queue = iter(down)
            told = [
                f"virada {next(queue)}" if action.startswith("virada") and not is_mine else action
                for action, is_mine in zip(actions, mine, strict=False)
            ]
            both = [guess, hands[seat]] if other == 0 else [hands[seat], guess]
            if public_trace(rules, both, mao, scores, told) == real:
                found.add((tuple(sorted(guess)), down))
    return found
