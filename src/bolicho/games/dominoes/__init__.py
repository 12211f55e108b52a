"""Dominoes for two: draw dominoes and all fives, one record and one set of rules for both."""

from bolicho.games.dominoes import action_help, draw, kernel, state, text
from bolicho.games.dominoes.compiled import behaviours, deals, redeal, rewind
from bolicho.games.dominoes.compiled.features import feature_names
from bolicho.games.dominoes.rules import OPENS, ROUNDINGS, SPINNER_COUNTS, DrawRules, FivesRules, bounds, set_size
from bolicho.games.kind import Kind

__all__ = ["DOMINOES", "FIVES", "deals", "redeal", "rewind"]


def _num_actions(rules: DrawRules | FivesRules) -> int:
    return kernel.NUM_SIDES * set_size(rules.highest)


def _kind(
    name: str, title: str, rules: type[DrawRules] | type[FivesRules], *choices: tuple[str, tuple[str, ...]]
) -> Kind:
    return Kind(
        name=name,
        title=title,
        rules=rules,
        choices=(("opens", OPENS), *choices),
        num_actions=_num_actions,
        feature_names=feature_names,
        bounds=bounds,
        longest=lambda rules: set_size(rules.highest),
        blank=kernel.blank,
        view=text.DominoesView,
        action_text=text.action_text,
        read_action=text.read_action,
        read_setup=text.read_setup,
        entry=text.entry,
        result=text.result,
        svg=draw.svg,
        said=text.said,
        name_action=text.name_action,
        past=("line", "by", "stuck", "drew"),
        moment=action_help.moment,
        refusal=action_help.refusal,
        fields=state.Fields,
        enumerations=state.ENUMERATIONS,
        data=state.table,
        page="dominoes",
        behaviours=tuple(behaviours.NAMES.items()),
    )


DOMINOES = _kind("dominoes", "Draw dominoes: match the ends, draw when you cannot, be out first", DrawRules)
FIVES = _kind(
    "fives",
    "All fives: dominoes where ends that sum to a multiple of 5 score at once",
    FivesRules,
    ("spinner", SPINNER_COUNTS),
    ("rounding", ROUNDINGS),
)
