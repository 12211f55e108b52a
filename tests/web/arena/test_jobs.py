"""Stopping a tournament, also when its process ignores interrupts."""

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


def test_process_that_ignores_interrupts_is_interrupted_again_and_then_killed(tmp_path, monkeypatch):
    heard = tmp_path / "heard"
    monkeypatch.setattr(jobs.job_process, "command", lambda *_: [sys.executable, "-c", DEAF, str(heard)])
    monkeypatch.setattr(jobs, "REPEAT_SIGNAL_AFTER", 2)
    (tmp_path / jobs.JOBS_FOLDER).mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / jobs.ASKED).touch()
    desk = jobs.Jobs(tmp_path, lambda name: tmp_path / name, kill_after=5 * jobs.BEAT)
    desk.want("run", 1)
    desk.step()
    while not heard.exists() or not heard.read_text():
        time.sleep(0.01)
    (process,) = desk._playing.values()
    desk.drop("run")
    for _ in range(6):  # steps 0, 2 and 4 interrupt it, step 5 kills it
        assert process.poll() is None
        desk.step()
        time.sleep(0.2)
    process.wait()
    desk.step()
    assert heard.read_text().split() == ["ready", "told", "told", "told"]
    assert not desk._playing and desk.wanted() == []
    desk.want("run", 1)
    desk.step()
    assert len(desk._playing) == 1, "the run can be resumed"
    desk.close()
