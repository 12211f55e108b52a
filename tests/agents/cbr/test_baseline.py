"""The first base: hands of scripted styles."""

import pytest

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.rules.truco import STYLES
from bolicho.agents.training import train
from bolicho.errors import BadInput
from tests.agents.cbr.hands import make_baseline


def test_base_of_chosen_styles_contains_their_hands_and_records_the_styles(tmp_path):
    quiet, loud = (make_baseline(400, 1, (style,)) for style in ("cautious", "aggressive"))
    called = [float((base.cases["truco_by"][:, 0] > 0).mean()) for base in (quiet, loud)]
    assert called[0] < called[1]
    assert quiet.made["styles"] == ["cautious"] and "styles" not in make_baseline(30, 1).made
    assert (make_baseline(30, 1).cases == make_baseline(30, 1, tuple(STYLES)).cases).all()
    train("cbr-baseline", tmp_path / "b.parquet", 1, {"hands": 60, "styles": "cautious+novice"}, show=False)
    story = load_base(str(tmp_path / "b.parquet"), TRUCO).made
    assert story["command"] == "bolicho train cbr-baseline truco hands=60 styles=cautious+novice --seed 1"
    with pytest.raises(BadInput, match="unknown scripted style 'shy'"):
        train("cbr-baseline", tmp_path / "b.parquet", 1, {"styles": "cautious+shy"}, show=False)
    with pytest.raises(BadInput, match="give source or styles, not both"):
        train("cbr-baseline", tmp_path / "b.parquet", 1, {"source": "hands.csv", "styles": "novice"}, show=False)
