"""Progress bars: on stderr alone, and only where something takes longer than a moment."""

import pytest
from rich.console import Console

from bolicho.progress import progress, tracked


def test_items_pass_through(capsys):
    assert list(tracked(iter("abc"), "letters", 3)) == ["a", "b", "c"]
    assert capsys.readouterr().out == ""


def test_a_bar_is_left_when_the_block_fails():
    with pytest.raises(ZeroDivisionError), progress("dividing", 2, after=60) as bar:
        bar.advance()
        bar.update(2, what="dividing by zero", note="now")
        _ = 1 / 0


@pytest.mark.parametrize(("after", "is_shown"), [(0, True), (60, False)])
def test_short_work_shows_no_bar(after, is_shown, capfd, monkeypatch):
    monkeypatch.setattr(Console, "is_terminal", True)
    with progress("playing", 10, "games", after=after) as bar:
        bar.update(7)
    printed = capfd.readouterr()
    assert printed.out == "" and ("playing" in printed.err) == is_shown
