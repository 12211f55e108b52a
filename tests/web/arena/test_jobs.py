"""A tournament that was stopped ends, also where it does not hear that it shall."""

import sys
import time

from bolicho.web.arena import jobs

DEAF = """
import signal, sys, time
heard = open(sys.argv[1], "a", buffering=1)
signal.signal(signal.SIGINT, lambda *_: heard.write("told\\n"))
heard.write("ready\\n")
while True:
    time.sleep(1)
"""


def test_who_does_not_hear_is_told_again_and_ended_at_last(tmp_path, monkeypatch):
    heard = tmp_path / "heard"
    monkeypatch.setattr(jobs.work, "command", lambda *_: [sys.executable, "-c", DEAF, str(heard)])
    monkeypatch.setattr(jobs, "AGAIN", 2)
    (tmp_path / jobs.DESK).mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / jobs.ASKED).touch()
    desk = jobs.Jobs(tmp_path, lambda name: tmp_path / name, at_last=5 * jobs.BEAT)
    desk.want("run", 1)
    desk.step()
    while not heard.exists() or not heard.read_text():
        time.sleep(0.01)
    (process,) = desk._playing.values()
    desk.unwant("run")
    for _ in range(6):  # looks 0, 2 and 4 tell it, 5 ends it
        assert process.poll() is None
        desk.step()
        time.sleep(0.2)
    process.wait()
    desk.step()
    assert heard.read_text().split() == ["ready", "told", "told", "told"]
    assert not desk._playing and desk.wanted() == []
    desk.want("run", 1)
    desk.step()
    assert len(desk._playing) == 1, "and may be gone on with"
    desk.close()
