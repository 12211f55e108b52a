"""Explain a decision: the query, the cases it rests on, the votes, what revision changed, and any fallback.

Nothing of this is kept while playing: the trace of a decision says which questions were asked and
how they were answered, and everything else is found again from the view.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Explanation
from bolicho.agents.cbr.compiled import decision as compiled
from bolicho.agents.cbr.compiled.search import THOUSAND
from bolicho.agents.cbr.cycle import Settings
from bolicho.agents.cbr.domain import END, QUERY, Decision
from bolicho.agents.cbr.retrieve import CaseIndex, Retrieved
from bolicho.agents.cbr.reuse import VICTORIES, policy
from bolicho.games.game import View

SHOWN = 10  # cases listed; the rest is counted

Row = NDArray[np.int64]

_FALLBACKS = {
    compiled.WIDENED: "the index group of the hand held no such case, so the whole base was searched",
    compiled.NO_GROUP: "no cluster had enough of the cases, so the action was chosen among all of them",
    compiled.NO_CASES: "no case was found, so the cautious default was used",
}


def explain(
    index: CaseIndex, name: str, settings: Settings, view: View, trace: NDArray[np.int64], action: int
) -> Explanation:
    """What the last decision of an agent rests on."""
    questions = [_question(index, settings, view, row) for row in _asked(trace)]
    facts = {
        "policy": name,
        "base": index.base.name,
        "cases_in_base": len(index.base),
        "action": str(view.game.action(view.state, action)),
        "questions": questions,
    }
    lines = [line for question in questions for line in ("", *_lines(question))]
    return Explanation(_sentence(name, questions[-1]), facts, tuple(lines))


def _asked(trace: NDArray[np.int64]) -> Iterable[Row]:
    for row in trace:
        if row[compiled.ASKED] == END:
            return
        yield row


def _question(index: CaseIndex, settings: Settings, view: View, row: Row) -> dict[str, Any]:
    """One question of a decision: what was known, what was found, how it was answered."""
    decision = index.domain.decisions[row[compiled.ASKED]]
    query = np.zeros(1, QUERY)
    case = np.zeros(1, index.domain.schema.dtype)
    compiled.ask(view.pool, view.seat, row[compiled.ASKED], query, case)
    group = 0 if row[compiled.FELL_BACK] & compiled.WIDENED else int(row[compiled.PARTITION_GROUP])
    threshold = settings[compiled.THRESHOLD] / THOUSAND
    found = index.retrieve(query, threshold, int(settings[compiled.MINIMUM]), group)
    labels = index.base.cases["label"][found.cases, decision.scenario] if decision.scenario >= 0 else None
    legal = (int(query["allowed"][0]) >> found.instances["item"].astype(np.int64) & 1).astype(bool)
    chosen = int(row[compiled.GROUP])
    inside = legal if labels is None or chosen < 0 else legal & (labels == chosen)
    return {
        "question": decision.name,
        "query": _in_words(index, decision, query),
        "retrieval": "clusters" if row[compiled.PARTITION_GROUP] else "exact",
        "index_group": int(row[compiled.PARTITION_GROUP]) or None,
        "first_threshold": threshold,
        "threshold": int(row[compiled.USED]) / THOUSAND,
        "found": int(row[compiled.FOUND]),
        "found_at_first_threshold": int(row[compiled.AT_FIRST]),
        "cases": [_case(index, decision, found, i, labels) for i in range(min(SHOWN, len(found)))],
        "clusters": [] if labels is None else _votes(found, labels, legal, "cluster"),
        "cluster": chosen if chosen >= 0 else None,
        "actions": _item_votes(decision, found, inside),
        "has_points": decision.points,
        "victory": next(name for name, number in VICTORIES.items() if number == settings[compiled.VICTORY]),
        "cases_a_cluster_needs": int(settings[compiled.MINIMUM]),
        "passive": decision.items[decision.passive] if decision.passive >= 0 else None,
        "suggested": decision.items[row[compiled.ITEM]],
        "done": decision.items[row[compiled.REVISED]],
        "revised_by": None if row[compiled.PREDICATE] < 0 else index.domain.predicates[row[compiled.PREDICATE]][0],
        "fallback": list(_fallbacks(row, int(settings[compiled.MINIMUM]))),
    }


def _fallbacks(row: Row, minimum: int) -> Iterable[str]:
    """What was done for want of cases, in words."""
    if 0 < row[compiled.FOUND] < minimum:
        yield f"only {row[compiled.FOUND]} such cases are known, however unlike"
    for bit, text in _FALLBACKS.items():
        if row[compiled.FELL_BACK] & bit:
            yield text


def _in_words(index: CaseIndex, decision: Decision, query: NDArray[np.void]) -> dict[str, str]:
    values = [*query["numeric"][0, : len(decision.numeric)], *query["equal"][0, : len(decision.equal)]]
    say = index.domain.say_value
    return {name: say(name, int(value)) for name, value in zip(decision.attributes, values, strict=True)}


def _case(index: CaseIndex, decision: Decision, found: Retrieved, i: int, labels: Any) -> dict[str, Any]:
    """One retrieved case: how similar, attribute by attribute, what was done there and what came of it."""
    instance = found.instances[i]
    outcome = ("lost", "neither won nor lost", "won")[int(instance["halves"])]
    return {
        "case": int(found.cases[i]),
        "similarity": float(found.similarity[i]),
        "local": {name: float(value) for name, value in zip(decision.attributes, found.local[i], strict=True)},
        "action": decision.items[int(instance["item"])],
        "outcome": outcome,
        "points": int(instance["points"]) if decision.points else None,
        "cluster": None if labels is None else int(labels[i]),
    }


def _votes(found: Retrieved, key: NDArray[Any], among: NDArray[np.bool_], word: str) -> list[dict[str, Any]]:
    """Cases, victories and points by the values of `key`."""
    rows = []
    for value in np.unique(key[among]):
        these = found.instances[among & (key == value)]
        rows.append({
            word: int(value),
            "cases": len(these),
            "victories": float(these["halves"].sum() / (2 * len(these))),
            "points": int(these["points"].sum()),
        })  # fmt: skip
    return rows


def _item_votes(decision: Decision, found: Retrieved, among: NDArray[np.bool_]) -> list[dict[str, Any]]:
    votes = _votes(found, found.instances["item"], among, "action")
    return [{**row, "action": decision.items[row["action"]]} for row in votes]


LISTED = 5  # cases that people are shown of the SHOWN


def _lines(question: dict[str, Any]) -> Iterable[str]:
    """A question for people: what was known, the votes, the most similar cases."""
    yield f"{question['question']}: {question['found']} cases at {question['threshold']:.2f} or more" + (
        f" ({question['found_at_first_threshold']} at {question['first_threshold']:.2f})"
        if question["threshold"] < question["first_threshold"]
        else ""
    )
    yield "  known: " + ", ".join(f"{name} {value}" for name, value in question["query"].items())
    for row in question["clusters"]:
        chosen = " <" if row["cluster"] == question["cluster"] else ""
        yield f"  cluster {row['cluster']:<17}{_counts(row, question['has_points'])}{chosen}"
    for row in question["actions"]:
        chosen = " <" if row["action"] == question["suggested"] else ""
        yield f"  {row['action']:<25}{_counts(row, question['has_points'])}{chosen}"
    for case in question["cases"][:LISTED]:
        unlike = ", ".join(f"{name} {value:.2f}" for name, value in case["local"].items() if value < 1)
        points = "" if case["points"] is None else f", {case['points']:+d} points"
        yield f"  case {case['case']:<6} {case['similarity']:.3f}  {case['action']}: {case['outcome']}{points}" + (
            f" (unlike: {unlike})" if unlike else ""
        )
    for fallback in question["fallback"]:
        yield f"  {fallback}"
    if question["revised_by"]:
        words = question["revised_by"].replace("_", " ")
        yield f"  revised: '{question['done']}' instead of '{question['suggested']}' ({words})"


def _counts(row: dict[str, Any], has_points: bool) -> str:
    points = f"{row['points']:>+6d} points" if has_points else ""
    return f"{row['cases']:>5} cases  {row['victories']:>4.0%} won{points}"


def _sentence(name: str, question: dict[str, Any]) -> str:
    """The question that led to the action, in one sentence."""
    by_cluster, by_action = policy(name)
    text = f"{name}: {question['found']} like hands (similarity {question['threshold']:.2f} or more)"
    text += f" for '{question['question']}'"
    if question["cluster"] is not None and by_cluster:
        text += f"; cluster {question['cluster']} has {_why_cluster(_criterion(by_cluster, question), question)}"
    if question["actions"]:
        text += f"; '{question['suggested']}'{_why_action(_criterion(by_action, question), question)}"
    for fallback in question["fallback"]:
        text += f"; {fallback}"
    if question["revised_by"]:
        text += f"; revised to '{question['done']}' ({question['revised_by'].replace('_', ' ')})"
    return text + "."


_CRITERION_WORDS = {
    "MJ": "the most cases",
    "PL": "the lot that was drawn",
    "PV by share": "the highest share of victories",
    "PV by count": "the highest number of victories",
    "PV by bar": "the highest share of victories",
    "NP": "the highest balance of points",
}


def _criterion(name: str, question: dict[str, Any]) -> str:
    """The criterion that was really used: PV for NP where there are no points, and PV as it was read."""
    if name == "PV" or (name == "NP" and not question["has_points"]):
        return f"PV by {question['victory']}"
    return name


def _why_cluster(criterion: str, question: dict[str, Any]) -> str:
    """What a criterion says of the cluster it chose; those with too few cases were not asked."""
    row = next(row for row in question["clusters"] if row["cluster"] == question["cluster"])
    enough = question["cases_a_cluster_needs"]
    all_asked = all(other["cases"] >= enough for other in question["clusters"])
    whose = "" if all_asked else f"of those with at least {enough} cases "
    return whose + _CRITERION_WORDS[criterion] + _votes_of(row, question)


def _why_action(criterion: str, question: dict[str, Any]) -> str:
    """What a criterion says of the action it chose, or why it chose to venture nothing."""
    row = next((row for row in question["actions"] if row["action"] == question["suggested"]), None)
    if question["suggested"] == question["passive"]:
        if criterion == "NP":
            return ", since no bet has a positive balance of points"
        if criterion == "PV by bar":
            return ", since no bet won more often than it lost"
        if row is None or (criterion.startswith("PV") and row["victories"] == 0):
            return ", since nothing has won"
    assert row is not None  # only the passive item is chosen without a case
    if criterion == "PV by bar" and question["passive"] is not None:
        return f" has, of the bets, {_CRITERION_WORDS[criterion]} and won more often than it lost" + _votes_of(
            row, question
        )
    return f" has {_CRITERION_WORDS[criterion]}" + _votes_of(row, question)


def _votes_of(row: dict[str, Any], question: dict[str, Any]) -> str:
    won = f"{row['victories']:.0%} won"
    if question["victory"] == "count":
        won = f"{row['victories'] * row['cases']:g} victories"
    points = f", {row['points']:+d} points" if question["has_points"] else ""
    return f" ({row['cases']} cases, {won}{points})"
