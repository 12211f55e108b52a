"""A case base that grows with people's hands while a study runs."""

import sqlite3
import time

import pytest

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.domains import domain_of
from bolicho.store.parquet import read_parquet
from bolicho.web.study import grow
from bolicho.web.study.plan import read_plan

PEOPLE = "pvs(base=people, victory=share)"
GROWING = '[grow]\nbase = "baseline"\nevery = 2\n[sees]'
BASELINE = 3195  # cases


@pytest.fixture
def growing(study):
    return study(opponents=("cautious", PEOPLE), order="fixed", sees=GROWING)


def sitting(study, step):
    """Who sits opposite a participant, as it is stored."""
    with sqlite3.connect(study.served.database) as database:
        found = database.execute("SELECT agent FROM seats WHERE match = ? AND seat = 1", [step["match"]]).fetchone()
    database.close()
    return found[0]


def wait_for(what, seconds=120):
    """Until something is so; the machine may be busy with other things."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return found


def test_new_matches_play_from_peoples_hands_and_a_match_keeps_its_version(growing):
    folder = grow.folder_of(growing.engine, growing.id)
    first, second = growing.invite(), growing.invite()
    for guest in (first, second):
        begun = guest.go("match", 2)
        assert sitting(growing, begun) == "pvs(base=baseline, victory=share)"
    path = wait_for(lambda: grow.newest(folder))
    assert path.endswith("base-0001.parquet") and sitting(growing, begun) == "pvs(base=baseline, victory=share)"
    base = load_base(path, domain_of("truco"))
    assert len(base) > BASELINE and len(base.made["matches"]) == 2 and base.made["kind"] == "grown"
    third = growing.invite().go("match", 2)
    assert sitting(growing, third) == f"pvs(base={path}, victory=share)"
    second.go("thanks")  # the fourth match; with the version that it began with
    wait_for(lambda: 2 in grow.versions(folder))
    assert sitting(growing, third) == f"pvs(base={path}, victory=share)"

    first.post("withdraw", {"sure": True})
    wait_for(lambda: [len(_held(grow.versions(folder)[number])) for number in (1, 2)] == [1, 3])
    assert BASELINE < len(load_base(path, domain_of("truco"))) < len(base)


def _held(path):
    """The matches whose hands are in a base."""
    return read_parquet(path)[1]["matches"]


def test_hands_of_scripted_participants_count_only_where_the_plan_says_so(study):
    for more, counted in [("", None), ("scripted = true\n", 1)]:
        sees = GROWING.replace("every = 2\n", f"every = 2\n{more}")
        one = study(opponents=("cautious", PEOPLE), order="fixed", sees=sees)
        plan = read_plan(one.text)
        guests = [one.invite(scripted=True) for _ in range(2)]
        for guest in guests:
            guest.go("questions")
        with one.engine.connect() as connection:
            assert grow.due(connection, one.id, plan) == counted
            assert len(grow.counting(connection, one.id, plan.grow)) == (2 if counted else 0)


def test_a_version_that_is_there_stands(growing):
    folder = grow.folder_of(growing.engine, growing.id)
    grow.make(growing.served.database, growing.id, 1)
    before = (folder / "base-0001.parquet").read_bytes()
    growing.invite().go("questions")
    grow.make(growing.served.database, growing.id, 1)
    assert (folder / "base-0001.parquet").read_bytes() == before and len(list(folder.iterdir())) == 1
