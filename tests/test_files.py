import signal

import pytest

from bolicho.files import atomic_path, uninterrupted, write_bytes_atomic, write_text_atomic


def test_what_is_written_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "new folder" / "file.txt"
    write_text_atomic(path, "mão\n")
    assert path.read_bytes() == "mão\n".encode()
    write_bytes_atomic(str(path), b"again")
    assert path.read_bytes() == b"again"
    assert list(path.parent.iterdir()) == [path]


def test_who_breaks_while_writing_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "file.txt"
    write_text_atomic(path, "whole")
    with pytest.raises(KeyboardInterrupt), atomic_path(path) as beside:
        beside.write_text("hal")
        raise KeyboardInterrupt
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_while_it_is_written_the_old_file_is_still_there(tmp_path):
    path = tmp_path / "file.txt"
    write_text_atomic(path, "old")
    with atomic_path(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
        assert beside.parent == path.parent, "renaming is atomic only within a folder"
    assert path.read_text() == "new"


def test_ctrl_c_waits_for_what_must_be_whole():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("whole")
    assert done == ["whole"] and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)
