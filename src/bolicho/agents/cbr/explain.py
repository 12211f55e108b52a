"""Explanation of a decision: the query, the retrieved cases, the votes, the revision, and any fallback.

Nothing of this is stored during play: the trace of a decision contains its questions and answers, and everything else
is derived again from the view.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Explanation
from bolicho.agents.cbr.compiled import decision as compiled
from bolicho.agents.cbr.compiled.choice import SKIP_SMALL
from bolicho.agents.cbr.compiled.search import THOUSAND
from bolicho.agents.cbr.cycle import Settings
from bolicho.agents.cbr.domain import END, QUERY, Decision
from bolicho.agents.cbr.retrieve import CaseIndex, Retrieved
from bolicho.agents.cbr.reuse import VICTORIES, policy
from bolicho.agents.cbr.weights import WEIGHTS
from bolicho.agents.explanation import bar, chain, listed, signed
from bolicho.games.game import View
from bolicho.i18n import Fact, Message, catalogue

SHOWN = 10  # number of cases listed; the rest is only counted
OUTCOMES = ("lost", "neither won nor lost", "won")
TRIED = ("worse than the rest", "as good as the rest", "better than the rest")
"""Results of a case, by its halves: for observed cases, and for trials (`turns`)."""

Row = NDArray[np.int64]

_FALLBACKS = {
    compiled.WIDENED: Message("agents.cbr.widened"),
    compiled.NO_GROUP: Message("agents.cbr.no_group"),
    compiled.NO_CASES: Message("agents.cbr.no_cases"),
    compiled.TOO_SMALL: Message("agents.cbr.small_cluster"),
}


def explain(
    index: CaseIndex, name: str, settings: Settings, view: View, trace: NDArray[np.int64], action: int
) -> Explanation:
    """Return the explanation of an agent's last decision."""
    questions = [_question(index, settings, view, row) for row in _asked(trace)]
    facts: dict[str, Any] = {
        "policy": name,
        "base": index.base.name,
        "cases_in_base": len(index.base),
        "action": str(view.game.action(view.state, action)),
        "questions": questions,
    }
    fallbacks = [list(_fallbacks(row, int(settings[compiled.MINIMUM]))) for row in _asked(trace)]
    for question, fallback in zip(questions, fallbacks, strict=True):
        question["fallback"] = [catalogue("en").say(said) for said in fallback]
    say = index.domain.said
    lines = [line for each in zip(questions, fallbacks, strict=True) for line in _lines(*each, say)]
    sentence = _sentence(name, questions[-1], fallbacks[-1], say)
    return Explanation(sentence, facts, lines, picture(questions[-1], facts["action"], say))


def _asked(trace: NDArray[np.int64]) -> Iterable[Row]:
    for row in trace:
        if row[compiled.ASKED] == END:
            return
        yield row


def _question(index: CaseIndex, settings: Settings, view: View, row: Row) -> dict[str, Any]:
    """Return one question of a decision: the query, the retrieved cases, the answer."""
    decision = index.domain.decisions[row[compiled.ASKED]]
    query = np.zeros(1, QUERY)
    case = np.zeros(1, index.domain.schema.dtype)
    compiled.ask(view.pool, view.seat, row[compiled.ASKED], query, case)
    group = 0 if row[compiled.FELL_BACK] & compiled.WIDENED else int(row[compiled.PARTITION_GROUP])
    threshold = float(settings[compiled.THRESHOLD]) / THOUSAND
    found = index.retrieve(query, threshold, int(settings[compiled.MINIMUM]), group)
    points = found.instances["points"] + settings[compiled.BEYOND_REFUSING] * found.instances["spared"]
    labels = index.base.cases["label"][found.cases, decision.scenario] if decision.scenario >= 0 else None
    legal = (int(query["allowed"][0]) >> found.instances["item"].astype(np.int64) & 1).astype(bool)
    chosen = int(row[compiled.GROUP])
    inside = legal if labels is None or chosen < 0 else legal & (labels == chosen)
    optional: dict[str, Any] = {}  # facts of options with other values than the defaults
    if index.weights != WEIGHTS[0]:
        optional["weights"] = _weights(index, int(row[compiled.ASKED]))
    if row[compiled.CALLS]:
        calls, bluffs = int(row[compiled.CALLS]), int(row[compiled.BLUFFS])
        optional["call"] = {"like_calls": calls, "belief": bluffs / calls, "caught": bool(row[compiled.CAUGHT])}
    return {
        **optional,
        "question": decision.name,
        "query": _in_words(index, decision, query),
        "retrieval": "clusters" if row[compiled.PARTITION_GROUP] else "exact",
        "index_group": int(row[compiled.PARTITION_GROUP]) or None,
        "first_threshold": threshold,
        "threshold": int(row[compiled.USED]) / THOUSAND,
        "found": int(row[compiled.FOUND]),
        "found_at_first_threshold": int(row[compiled.AT_FIRST]),
        "cases": [_case(index, decision, found, points, i, labels) for i in range(min(SHOWN, len(found)))],
        "clusters": [] if labels is None else _votes(found, points, labels, legal, "cluster"),
        "cluster": chosen if chosen >= 0 else None,
        "actions": _item_votes(decision, found, points, inside),
        "has_points": decision.points,
        "victory": next(name for name, number in VICTORIES.items() if number == settings[compiled.VICTORY]),
        "cases_a_cluster_needs": int(settings[compiled.IN_GROUP]) if settings[compiled.SMALL] == SKIP_SMALL else 1,
        "passive": decision.items[decision.passive] if decision.passive >= 0 else None,
        "tried": index.domain.tried,
        "answered": not row[compiled.FELL_BACK] & (compiled.NO_CASES | compiled.TOO_SMALL),
        "suggested": decision.items[row[compiled.ITEM]],
        "done": decision.items[row[compiled.REVISED]],
        "revised_by": None if row[compiled.PREDICATE] < 0 else index.domain.predicates[row[compiled.PREDICATE]][0],
    }


def _weights(index: CaseIndex, decision: int) -> dict[str, float]:
    """Return the learned weight of every attribute of a decision; their mean is 1."""
    names = index.domain.decisions[decision].attributes
    return dict(zip(names, index.attribute_weights(decision).tolist(), strict=True))


def _fallbacks(row: Row, minimum: int) -> Iterable[Message]:
    """Yield the fallbacks used for lack of cases."""
    if 0 < row[compiled.FOUND] < minimum:
        yield Message("agents.cbr.few", found=int(row[compiled.FOUND]))
    for bit, said in _FALLBACKS.items():
        if row[compiled.FELL_BACK] & bit:
            yield said


def _in_words(index: CaseIndex, decision: Decision, query: NDArray[np.void]) -> dict[str, str]:
    values = [*query["numeric"][0, : len(decision.numeric)], *query["equal"][0, : len(decision.equal)]]
    say = index.domain.say_value
    return {name: say(name, int(value)) for name, value in zip(decision.attributes, values, strict=True)}


def _case(
    index: CaseIndex, decision: Decision, found: Retrieved, points: NDArray[Any], i: int, labels: Any
) -> dict[str, Any]:
    """Return one retrieved case: its similarity by attribute, its item and its result."""
    instance = found.instances[i]
    outcome = (TRIED if index.domain.tried else OUTCOMES)[int(instance["halves"])]
    return {
        "case": int(found.cases[i]),
        "similarity": float(found.similarity[i]),
        "local": {name: float(value) for name, value in zip(decision.attributes, found.local[i], strict=True)},
        "action": decision.items[int(instance["item"])],
        "outcome": outcome,
        "points": int(points[i]) if decision.points else None,
        "cluster": None if labels is None else int(labels[i]),
    }


def _votes(
    found: Retrieved, points: NDArray[Any], key: NDArray[Any], among: NDArray[np.bool_], word: str
) -> list[dict[str, Any]]:
    """Return cases, victories and points by the values of `key`."""
    rows = []
    for value in np.unique(key[among]):
        inside = among & (key == value)
        these = found.instances[inside]
        rows.append({
            word: int(value),
            "cases": len(these),
            "victories": float(these["halves"].sum() / (2 * len(these))),
            "points": int(points[inside].sum()),
        })  # fmt: skip
    return rows


def _item_votes(
    decision: Decision, found: Retrieved, points: NDArray[Any], among: NDArray[np.bool_]
) -> list[dict[str, Any]]:
    votes = _votes(found, points, found.instances["item"], among, "action")
    return [{**row, "action": decision.items[row["action"]]} for row in votes]


# --- Text ---------------------------------------------------------------------------------------

LISTED = 5  # number of cases listed in the text

Say = Callable[[str], Message]
"""Function that translates a domain's texts (`Domain.said`)."""


def _lines(question: dict[str, Any], fallbacks: Sequence[Message], say: Say) -> Iterable[Message]:
    """Yield a question as text: the query, the votes, the most similar cases."""
    yield _heading(question, say)
    known = [Message("agents.cbr.known", what=say(name), value=say(value)) for name, value in question["query"].items()]
    yield Message("agents.cbr.line.known", known=listed(known))
    if "weights" in question:
        weights = [Message("agents.cbr.weight", what=say(name), value=w) for name, w in question["weights"].items()]
        yield Message("agents.cbr.line.weights", weights=listed(weights))
    for row in question["clusters"]:
        line = Message("agents.cbr.line.cluster", cluster=row["cluster"], votes=_votes_of(row, question))
        yield _marked(line, row["cluster"] == question["cluster"])
    for row in question["actions"]:
        line = Message("agents.cbr.line.item", item=say(row["action"]), votes=_votes_of(row, question))
        yield _marked(line, row["action"] == question["suggested"])
    for case in question["cases"][:LISTED]:
        yield _case_line(case, say)
    for fallback in fallbacks:
        yield Message("agents.indented", what=fallback)
    if "call" in question:
        yield Message("agents.indented", what=_doubt(question, say))
    if question["revised_by"]:
        suggested, done = say(question["suggested"]), say(question["done"])
        yield Message("agents.cbr.line.revised", done=done, suggested=suggested, why=_predicate(question, say))


def _predicate(question: dict[str, Any], say: Say) -> Message:
    """Return the reason of a revision."""
    return say(question["revised_by"].replace("_", " "))


def _heading(question: dict[str, Any], say: Say) -> Message:
    facts: dict[str, Fact] = {
        "question": say(question["question"]),
        "found": question["found"],
        "threshold": question["threshold"],
    }
    if question["threshold"] >= question["first_threshold"]:
        return Message("agents.cbr.line.question", **facts)
    at_first, first = question["found_at_first_threshold"], question["first_threshold"]
    return Message("agents.cbr.line.fallen", at_first=at_first, first=first, **facts)


def _marked(line: Message, chosen: bool) -> Message:
    return Message("agents.cbr.line.chosen", line=line) if chosen else line


def _case_line(case: dict[str, Any], say: Say) -> Message:
    """Return one case, and its differing attributes."""
    line = Message(
        "agents.cbr.line.case",
        case=case["case"],
        similarity=case["similarity"],
        item=say(case["action"]),
        outcome=_outcome(case),
    )
    unlike = [
        Message("agents.cbr.known", what=say(name), value=value) for name, value in case["local"].items() if value < 1
    ]
    return Message("agents.cbr.line.unlike", line=line, unlike=listed(unlike)) if unlike else line


_OUTCOME_WORDS = {
    words: Message(f"agents.cbr.{key}.{ending}")
    for key, outcomes in (("outcome", OUTCOMES), ("tried.outcome", TRIED))
    for words, ending in zip(outcomes, ("lost", "neither", "won"), strict=True)
}


def _key(question: dict[str, Any], key: str) -> str:
    """Return the catalogue key for observed hands, or else for trials of turns."""
    return f"agents.cbr.tried.{key}" if question["tried"] else f"agents.cbr.{key}"


def _outcome(case: dict[str, Any]) -> Message:
    outcome = _OUTCOME_WORDS[case["outcome"]]
    if case["points"] is None:
        return outcome
    return Message("agents.cbr.with_points", outcome=outcome, points=signed(case["points"]))


def _sentence(name: str, question: dict[str, Any], fallbacks: Sequence[Message], say: Say) -> Message:
    """Return the question that led to the action, in one sentence."""
    by_cluster, by_action = policy(name)
    found, threshold = question["found"], question["threshold"]
    facts: dict[str, Fact] = {"name": name, "found": found, "threshold": threshold}
    parts = [Message(_key(question, "found"), question=say(question["question"]), **facts)]
    if question["cluster"] is not None and by_cluster:
        parts.append(_why_cluster(_criterion(by_cluster, question), question))
    if question["answered"]:
        parts.append(_why_action(_criterion(by_action, question), question, say))
    parts += fallbacks
    if question.get("call", {}).get("caught"):
        parts.append(_doubt(question, say))
    if question["revised_by"]:
        parts.append(Message("agents.cbr.revised_to", done=say(question["done"]), why=_predicate(question, say)))
    return Message("agents.sentence", what=chain(parts))


def _doubt(question: dict[str, Any], say: Say) -> Message:
    """Return the belief that the other player's call is a bluff, and its effect."""
    call = question["call"]
    facts: dict[str, Fact] = {"belief": call["belief"], "calls": call["like_calls"]}
    if not call["caught"]:
        return Message("agents.cbr.belief", **facts)
    return Message("agents.cbr.caught", suggested=say(question["suggested"]), **facts)


_CRITERION_WORDS = {
    "MJ": "MJ",
    "PL": "PL",
    "PV by share": "share",
    "PV by count": "count",
    "PV by bar": "share",
    "NP": "NP",
}


def _criterion_words(criterion: str, question: dict[str, Any]) -> Message:
    key = f"criterion.{_CRITERION_WORDS[criterion]}"
    return Message(_key(question, key) if criterion.startswith("PV") else f"agents.cbr.{key}")


def _criterion(name: str, question: dict[str, Any]) -> str:
    """Return the criterion actually used: PV instead of NP where there are no points, and the measure of PV."""
    if name == "PV" or (name == "NP" and not question["has_points"]):
        return f"PV by {question['victory']}"
    return name


def _why_cluster(criterion: str, question: dict[str, Any]) -> Message:
    """Return the reason for the chosen cluster; clusters with too few cases did not compete."""
    row = next(row for row in question["clusters"] if row["cluster"] == question["cluster"])
    enough = question["cases_a_cluster_needs"]
    facts: dict[str, Fact] = {
        "cluster": question["cluster"],
        "criterion": _criterion_words(criterion, question),
        "votes": _votes_of(row, question),
    }
    if all(other["cases"] >= enough for other in question["clusters"]):
        return Message("agents.cbr.cluster", **facts)
    return Message("agents.cbr.cluster_of", enough=enough, **facts)


def _why_action(criterion: str, question: dict[str, Any], say: Say) -> Message:
    """Return the reason for the chosen action, or for the passive item."""
    row = next((row for row in question["actions"] if row["action"] == question["suggested"]), None)
    item = say(question["suggested"])
    if question["suggested"] == question["passive"]:
        if criterion == "NP":
            return Message("agents.cbr.no_balance", item=item)
        if criterion == "PV by bar":
            return Message("agents.cbr.no_bet_won", item=item)
        if row is None or (criterion.startswith("PV") and row["victories"] == 0):
            return Message("agents.cbr.nothing_won", item=item)
    assert row is not None  # only the passive item is chosen without a case
    of_bets = criterion == "PV by bar" and question["passive"] is not None
    key = "agents.cbr.action_of_bets" if of_bets else "agents.cbr.action"
    return Message(key, item=item, criterion=_criterion_words(criterion, question), votes=_votes_of(row, question))


def _votes_of(row: dict[str, Any], question: dict[str, Any]) -> Message:
    facts: dict[str, Fact] = {"cases": row["cases"], "won": row["victories"]}
    key = _key(question, "votes")
    if question["victory"] == "count":
        halves = round(2 * row["victories"] * row["cases"])
        facts["won"] = halves / 2 if halves % 2 else halves // 2
        key = _key(question, "counts")
    return (
        Message(f"{key}_points", points=signed(row["points"]), **facts)
        if question["has_points"]
        else Message(key, **facts)
    )


# --- Picture ------------------------------------------------------------------------------------

COLUMNS = ("case", "similarity", "action", "outcome")
"""Columns of a case, before its local similarities."""


def picture(question: dict[str, Any], action: str, say: Say) -> dict[str, Any]:
    """Return the most similar cases with their local similarities, and the votes of all retrieved cases."""
    votes = [
        bar(say(row["action"]), row["cases"], _votes_of(row, question), row["action"] == question["suggested"])
        for row in question["actions"]
    ]
    rows = [
        [
            case["case"],
            case["similarity"],
            say(case["action"]).as_json(),
            _outcome(case).as_json(),
            *case["local"].values(),
        ]
        for case in question["cases"]
    ]
    heads = [*(Message(f"agents.cbr.column.{column}") for column in COLUMNS), *map(say, question["query"])]
    return {
        "kind": "cases",
        "title": Message(_key(question, "title"), question=say(question["question"])).as_json(),
        "action": action,
        "columns": [head.as_json() for head in heads],
        "shaded": len(COLUMNS),
        "rows": rows,
        "votes": votes,
        "suggested": say(question["suggested"]).as_json(),
        "done": say(question["done"]).as_json(),
    }
