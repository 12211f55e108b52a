"""Case bases that grow with the hands of participants during a study."""

import sqlite3
import time

import pytest

from bolicho.agents.cbr.bases import domain_of, load_base
from bolicho.agents.cbr.truco.baseline import Observation
from bolicho.errors import BadInput
from bolicho.store.parquet import read_parquet
from bolicho.web.study import case_bases
from bolicho.web.study.plan import read_plan

PEOPLE = "pvs(base=people, victory=share)"
HANDS = 60


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Write a small initial base, and return its path."""
    path = tmp_path_factory.mktemp("base") / "small.parquet"
    observed = Observation(HANDS)
    observed.step()
    observed.finish(path, observed.facts)
    return str(path)


@pytest.fixture
def growing(study, base):
    def make(more=""):
        sees = f'[grow]\nbase = "{base}"\nevery = 2\n{more}\n[sees]'
        return study(opponents=("cautious", PEOPLE), order="fixed", sees=sees)

    return make


def sitting(study, step):
    """Return the stored agent of the seat opposite a participant."""
    with sqlite3.connect(study.served.database) as database:
        found = database.execute("SELECT agent FROM seats WHERE match = ? AND seat = 1", [step["match"]]).fetchone()
    database.close()
    return found[0]


def wait_for(what, seconds=120):
    """Poll until the function returns a true value, and return it."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return found


def test_new_matches_use_the_newest_base_and_a_match_keeps_its_version(growing, base):
    one = growing()
    folder, named = case_bases.folder_of(one.engine, one.id), f"pvs(base={base}, victory=share)"
    first, second = one.invite(), one.invite()
    for guest in (first, second):
        begun = guest.go("match", 2)
        assert sitting(one, begun) == named
    path = wait_for(lambda: case_bases.newest(folder))
    assert path.endswith("base-0001.parquet") and sitting(one, begun) == named
    grown = load_base(path, domain_of("truco"))
    assert len(grown) > HANDS and len(grown.made["matches"]) == 2 and grown.made["kind"] == "grown"
    third = one.invite().go("match", 2)
    assert sitting(one, third) == f"pvs(base={path}, victory=share)"
    second.go("thanks")  # ends the fourth match
    wait_for(lambda: 2 in case_bases.versions(folder))
    assert sitting(one, third) == f"pvs(base={path}, victory=share)"

    first.post("withdraw", {"sure": True})
    wait_for(lambda: [len(_held(case_bases.versions(folder)[number])) for number in (1, 2)] == [1, 3])
    assert HANDS < len(load_base(path, domain_of("truco"))) < len(grown)


def _held(path):
    """Return the matches whose hands are in a base, or none while it is being rewritten."""
    try:
        return read_parquet(path)[1]["matches"]
    except BadInput:
        return []


def test_hands_of_scripted_participants_are_used_only_if_the_plan_includes_them(growing):
    for more, counted in [("", 0), ("scripted = true", 2)]:
        one = growing(more)
        plan = read_plan(one.text)
        guests = [one.invite(scripted=True) for _ in range(2)]
        for guest in guests:
            guest.go("questions")
        with one.engine.connect() as connection:
            assert len(case_bases.counting(connection, one.id, plan.grow)) == counted


def test_existing_version_of_a_base_is_not_written_again(growing):
    one = growing()
    folder = case_bases.folder_of(one.engine, one.id)
    case_bases.make(one.served.database, one.id, 1)
    before = (folder / "base-0001.parquet").read_bytes()
    one.invite().go("questions")
    case_bases.make(one.served.database, one.id, 1)
    assert (folder / "base-0001.parquet").read_bytes() == before and len(list(folder.iterdir())) == 1
