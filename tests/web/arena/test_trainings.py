"""Trainings over HTTP: start, stop and resume, and a tournament with the trained base."""

import time
from urllib.parse import quote

import numpy as np
import pytest

from bolicho.agents import training
from bolicho.i18n import LANGUAGES, catalogue
from bolicho.store.artifact import load_artifact, save_artifact
from tests.web.arena.lab import ASKED, is_alive, processes_in
from tests.web.arena.test_safety import TRICKS, status_of_raw_path
from tests.web.running import said

PATIENCE = 600  # seconds; a training has the lowest priority on the machine
LONG = {"training": "cbr-learned", "options": {"cases": 4000, "victory": "share"}, "seed": 3}
COMMAND = "bolicho train cbr-learned truco cases=4000 base=baseline keep=match rivals=0.0 victory=share --seed 3"
SHORT = {"training": "cbr-baseline", "options": {"hands": 120}}


def start(arena, **asked):
    answer = arena.post("trainings", asked)
    assert answer.status_code == 201, answer.text
    return answer.json()["name"]


def wait(arena, name, condition):
    end = time.monotonic() + PATIENCE
    while not condition(facts := arena.get(f"trainings/{name}").json()):
        assert time.monotonic() < end and facts["told"] is None, facts
        time.sleep(0.05)
    return facts


def is_half_way(facts):
    return facts["total"] is not None and facts["done"] < facts["total"]


def is_done(facts):
    return facts["state"] == "done"


def test_resumed_training_equals_the_command_line_training_byte_for_byte(arena, tmp_path):
    name = start(arena, **LONG, name="grown (3)")
    half = wait(arena, name, is_half_way)
    assert half["state"] == "running" and half["may"] == ["stop"] and half["unit"] == "cases"
    assert arena.post(f"trainings/{name}/stop").status_code == 200
    stopped = wait(arena, name, lambda facts: facts["state"] == "stopped")
    assert stopped["may"] == ["go"] and half["done"] <= stopped["done"] < 4000
    kept = load_artifact(str(arena.trained / name / f"{name}.part.safetensors"))
    assert kept.facts["done"] == stopped["done"], "the file holds all finished work"
    assert arena.post(f"trainings/{name}/go").status_code == 200
    done = wait(arena, name, is_done)
    assert done["done"] == 4000 and done["may"] == [] and done["command"] == COMMAND
    by_hand = tmp_path / "by-hand.parquet"
    training.train("cbr-learned", by_hand, LONG["seed"], LONG["options"], show=False)
    assert (arena.trained / name / f"{name}.parquet").read_bytes() == by_hand.read_bytes()
    refused = arena.post(f"trainings/{name}/go")
    assert refused.status_code == 409 and said(refused) == "server.arena.no-going-on.training"


def test_trained_base_is_offered_and_plays_in_a_tournament(arena):
    name = start(arena, **SHORT, name="small one")
    base = wait(arena, name, is_done)["base"]
    assert base == str(arena.trained / name / f"{name}.parquet")
    told = arena.get("options", game="truco").json()["agents"]
    assert told["pvcs"]["base"]["values"][:2] == ["baseline", "learned"] and base in told["pvcs"]["base"]["values"]
    assert base in arena.get("trainings").json()["offered"]["cbr-learned"]["options"]["base"]["values"]
    assert base not in arena.served.get("/api/options", game="truco").text
    spec = f"pvcs(base={base})"
    run = arena.start(agents=["novice", spec], duplicates=2, name="with the trained base")
    assert arena.done(run)["agents"] == ["novice", spec]
    grown = start(
        arena, training="cbr-learned", options={"base": base, "cases": 200, "groups": "kept"}, seed=1, name="from it"
    )
    wait(arena, grown, is_done)
    for other in (base.replace("small one", "other"), base + "x", f"{arena.trained}/small one/training.json"):
        refused = arena.post("runs", {**ASKED, "agents": ["novice", f"pvcs(base='{other}')"]})
        assert refused.status_code == 422 and said(refused) == "server.option.value"


def test_repeated_request_for_a_training_returns_the_existing_one(arena):
    name = start(arena, **SHORT, seed=7)
    assert name.startswith("cbr-baseline-")
    wait(arena, name, is_done)
    assert start(arena, **SHORT, seed=7) == name and arena.get(f"trainings/{name}").json()["state"] == "done"
    other = arena.post("trainings", {**SHORT, "seed": 8, "name": name})
    assert other.status_code == 409 and said(other) == "server.arena.taken"


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"training": "cbr-learned", "options": {"base": "/etc/passwd"}}, "server.option.value"),
        ({"training": "cbr-learned", "options": {"base": "../x"}}, "server.option.value"),
        ({"training": "cbr-learned", "options": {"groups": "fixed"}}, "server.option.value"),
        ({"training": "cbr-learned", "options": {"cases": 10**9}}, "server.option.within"),
        ({"training": "cbr-learned", "options": {"cases": True}}, "server.option.within"),
        ({"training": "cbr-baseline", "options": {"source": "/etc/passwd"}}, "server.option.unknown"),
        ({"training": "cbr-baseline", "options": {"out": "/tmp/x"}}, "server.option.unknown"),
        ({"training": "cfr-truco"}, "server.arena.no-training"),
        ({"training": "os:system"}, "server.arena.no-training"),
        ({**SHORT, "name": "../x"}, "server.arena.name"),
        ({**SHORT, "name": "a/b"}, "server.arena.name"),
        ({**SHORT, "name": ".arena"}, "server.arena.name"),
        ({**SHORT, "seed": -1}, "server.unreadable"),
        ({**SHORT, "out": "/tmp/x"}, "server.unreadable"),
    ],
    ids=str,
)
def test_training_that_is_not_offered_is_refused_with_a_reason(arena, asked, why):
    before = sorted(arena.trained.glob("*"))
    answer = arena.post("trainings", asked)
    assert answer.status_code == 422 and said(answer) == why, answer.text
    assert all(why in catalogue(language).templates for language in LANGUAGES)
    assert sorted(arena.trained.glob("*")) == before


@pytest.mark.parametrize("name", TRICKS)
def test_no_name_leads_out_of_the_folder(arena, name):
    assert status_of_raw_path(arena, f"/api/arena/trainings/{quote(name)}") in (404, 422)
    if name != "out":  # a free name here
        assert arena.post("trainings", {**SHORT, "name": name}).status_code == 422


def test_only_researchers_train(arena):
    for token, status in ((None, 401), ("x" * 32, 401), (arena.bot, 403)):
        assert arena.served.get("/api/arena/trainings", token).status_code == status
        assert arena.served.post("/api/arena/trainings", SHORT, token).status_code == status
        for path in ("", "/stop", "/go"):
            method = "POST" if path else "GET"
            assert arena.served.ask(method, f"/api/arena/trainings/x{path}", token).status_code == status


def test_killed_server_leaves_no_training_process_and_a_resumable_training(arena):
    name = start(arena, **{**LONG, "seed": 4}, name="killed")
    wait(arena, name, is_half_way)
    theirs = processes_in(arena.trained / name)
    assert theirs
    arena.served.kill()
    end = time.monotonic() + PATIENCE
    while any(map(is_alive, theirs)):
        assert time.monotonic() < end
        time.sleep(0.05)
    arena.served.start()
    facts = arena.get(f"trainings/{name}").json()
    assert facts["state"] == "stopped" and facts["may"] == ["go"]


class Counting:
    """A learner that counts to ten."""

    unit = "steps"
    total = 10

    def __init__(self):
        self.done, self.facts = 0, {"game": "none", "kind": "counting"}

    def step(self):
        self.done += 1

    def state(self):
        return {"done": np.array(self.done)}

    def restore(self, state):
        assert int(state["done"]) == self.done

    def finish(self, out, story):
        save_artifact(out, self.state(), story)
        return {}


def test_training_is_stopped_between_two_steps_and_its_state_is_kept(tmp_path):
    out, seen = tmp_path / "it.safetensors", []

    def watch(learner, point):
        seen.append(learner.done)
        return learner.done == 4

    with pytest.raises(KeyboardInterrupt):
        training.run(Counting(), out, show=False, watch=watch)
    assert seen == [0, 1, 2, 3, 4] and not out.exists()
    training.run(Counting(), out, show=False, watch=lambda learner, point: learner.done == 10)
    assert out.exists() and len(list(tmp_path.iterdir())) == 2, "the artifact and its curve"
