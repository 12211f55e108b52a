import signal

import pytest

from bolicho.files import atomic_path, uninterrupted, write_bytes_atomic, write_text_atomic


def test_atomic_write_leaves_only_the_written_file(tmp_path):
    path = tmp_path / "new folder" / "file.txt"
    write_text_atomic(path, "mão\n")
    assert path.read_bytes() == "mão\n".encode()
    write_bytes_atomic(str(path), b"again")
    assert path.read_bytes() == b"again"
    assert list(path.parent.iterdir()) == [path]


def test_interrupted_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "file.txt"
    write_text_atomic(path, "whole")
    with pytest.raises(KeyboardInterrupt), atomic_path(path) as beside:
        beside.write_text("hal")
        raise KeyboardInterrupt
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_old_file_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "file.txt"
    write_text_atomic(path, "old")
    with atomic_path(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
        assert beside.parent == path.parent, "renaming is atomic only within a folder"
    assert path.read_text() == "new"


def test_ctrl_c_is_delayed_in_an_uninterrupted_block():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if tests run in the background
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("whole")
    assert done == ["whole"] and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)
