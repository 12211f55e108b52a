"""Value of inference and recursion to PIMC: the first two questions for future work of Pinto 2018, chapter 6."""

from bolicho.agents.search.pimc import INFERENCES
from bolicho.lab.dominoes.hidden_hands import TITLES, tournament
from bolicho.lab.dominoes.meetings import DEALS, MIRRORED, QUICK_DEALS, Meeting, differences, meeting_table
from bolicho.lab.study import Effort, Findings

RULE = {"rule": "rule"}
RECURSIVE = "recursive pimc"
SOLVED = "node_cap=10000"  # worlds of all fives with more nodes are estimated


def run(effort: Effort) -> Findings:
    """Play PIMC with each inference, and recursive PIMC, against each other and against the rule."""
    inferred = {title: meet_inferences(effort, game) for game, title in TITLES.items()}
    recursive = {title: meet_recursive(effort, game) for game, title in TITLES.items()}
    return Findings(
        tables=[
            *(meeting_table(f"Inference: {title.lower()}", found, MIRRORED) for title, found in inferred.items()),
            *(meeting_table(f"Recursion: {title.lower()}", found, MIRRORED) for title, found in recursive.items()),
        ],
        notes=[
            *(f"{title}: {differences(found)}" for title, found in inferred.items()),
            f"All solve {worlds_of(effort)} worlds.  What the worlds agree with: none, the tiles in sight; answered, "
            "also the value at which the other seat played what it drew last, as published; draws, also all values "
            "that were open when it last drew or passed; all, everything that the seat knows.",
            f"{RECURSIVE}: {recursive_worlds(effort)} worlds, in which every seat goes on by PIMC with "
            f"{level_worlds(effort)} worlds of its own; pimc, all: as many worlds, solved.",
        ],
    )


def worlds_of(effort: Effort) -> int:
    """Return the number of worlds per decision when inferences are compared."""
    return effort.pick(quick=5, full=20)


def recursive_worlds(effort: Effort) -> int:
    """Return the number of worlds per decision when recursion is compared."""
    return effort.pick(quick=4, full=20)


def level_worlds(effort: Effort) -> int:
    """Return the number of worlds per decision inside a world."""
    return effort.pick(quick=2, full=5)


def meet_inferences(effort: Effort, game: str) -> list[Meeting]:
    """Play PIMC with each inference, the strongest first, and the rule."""
    players = {f"pimc, {i}": f"pimc(worlds={worlds_of(effort)}, {SOLVED}, inference={i})" for i in INFERENCES[::-1]}
    return tournament(effort, "inference", game, {**players, **RULE}, effort.pick(quick=QUICK_DEALS, full=DEALS))


def meet_recursive(effort: Effort, game: str) -> list[Meeting]:
    """Play recursive PIMC, PIMC with as many worlds, and the rule."""
    plain = f"pimc(worlds={recursive_worlds(effort)}, {SOLVED}"
    players = {RECURSIVE: f"{plain}, levels=1, level_worlds={level_worlds(effort)})", "pimc, all": f"{plain})"}
    return tournament(effort, "recursive", game, {**players, **RULE}, effort.pick(quick=QUICK_DEALS // 2, full=DEALS))
