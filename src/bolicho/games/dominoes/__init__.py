"""Dominoes for two: draw dominoes and all fives, one record and one set of rules for both."""

from bolicho.games.dominoes import action_help, draw, kernel, state, text
from bolicho.games.dominoes.compiled import behaviours, deals, redeal, rewind
from bolicho.games.dominoes.compiled.features import feature_names
from bolicho.games.dominoes.rules import OPENS, ROUNDINGS, SPINNER_COUNTS, DrawRules, FivesRules, bounds, set_size
from bolicho.games.kind import Kind, parts

__all__ = ["DOMINOES", "FIVES", "deals", "redeal", "rewind"]


def _num_actions(rules: DrawRules | FivesRules) -> int:
    return kernel.NUM_SIDES * set_size(rules.highest)


def _kind(
    name: str, label: str, title: str, rules: type[DrawRules] | type[FivesRules], *choices: tuple[str, tuple[str, ...]]
) -> Kind:
    return Kind(
        name=name,
        label=label,
        title=title,
        rules=rules,
        choices=(("opens", OPENS), *choices),
        num_actions=_num_actions,
        feature_names=feature_names,
        bounds=bounds,
        longest=lambda rules: set_size(rules.highest),
        blank=kernel.blank,
        view=text.DominoesView,
        past=("line", "by", "stuck", "drew"),
        page="dominoes",
        tie_winners=text.tie_winners,
        **parts(text, draw, action_help, state, behaviours),
    )


DOMINOES = _kind("dominoes", "dominoes", "Draw dominoes: match the ends, draw when you cannot, be out first", DrawRules)
FIVES = _kind(
    "fives",
    "all fives",
    "All fives: dominoes where ends that sum to a multiple of 5 score at once",
    FivesRules,
    ("spinner", SPINNER_COUNTS),
    ("rounding", ROUNDINGS),
)
