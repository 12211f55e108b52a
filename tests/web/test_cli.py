"""Command lines `bolicho serve`, `bolicho verify` and `bolicho play --web`."""

import json
import re
import subprocess
import sys

import httpx
import pytest

from bolicho.cli import main
from tests.web.running import BOLICHO, ENVIRONMENT
from tests.web.test_fair_deals import changed, finished


@pytest.fixture
def refused(capfd, monkeypatch, tmp_path):
    """Run a command with bad input, check its exit code 2, and return its error message."""

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["bolicho", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        told = capfd.readouterr()
        assert left.value.code == 2 and told.out == "", told
        return told.err

    return run


def test_serve_refuses_invalid_options(tmp_path, truco, refused):
    assert "'chess'" in refused("serve", "--game", "chess")
    assert "--sync is full or normal" in refused("serve", "--sync", "some")
    assert "write --workers" in refused("serve", "--thinkers", 2, "--sync", "some")
    assert "PostgreSQL" in refused("serve", "--processes", 2, "--port", 0)
    assert "--port" in refused("serve", "--port", truco.port)
    assert "cannot listen" in refused("serve", "--host", "203.0.113.1", "--port", 0)
    (tmp_path / "text").write_text("this is no database, " * 100)
    assert "database" in refused("serve", "--port", 0, "--database", "text")


@pytest.fixture(scope="module")
def records():
    return finished("truco")


def test_verify_lists_what_it_has_checked(tmp_path, records):
    whole, kept = records
    (tmp_path / "whole.json").write_text(json.dumps(whole))
    (tmp_path / "mine.json").write_text(json.dumps(kept[0]))
    command = [*BOLICHO, "verify", "whole.json", "mine.json"]
    told = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert told.returncode == 0 and whole["fair"]["commit"] in told.stdout.replace("\n", ""), told.stderr
    told = subprocess.run([*command, "--json"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    facts = json.loads(told.stdout)
    assert facts["fair"] is True and len(facts["checked"]) == 5 + len(whole["shown"]) + 1
    assert any("decisions of agents" in line for line in facts["not_checked"])


def test_verify_refuses_unfair_matches_and_invalid_records(tmp_path, records, refused):
    whole, kept = records
    file = tmp_path / "record.json"
    file.write_text(json.dumps(changed(whole, "fair", "nonces", 0, "11" * 16)))
    assert "not the one it committed to" in refused("verify", file)
    file.write_text(json.dumps(changed(whole, "players", 0, "Mallory")))
    assert "not made of" in refused("verify", file)
    file.write_text(json.dumps(kept[0]))
    assert "only a whole record can be checked" in refused("verify", file)
    file.write_bytes(b"\xff[")
    assert "cannot read" in refused("verify", file)
    assert "cannot read" in refused("verify", tmp_path / "nothing.json")


def test_record_of_a_web_match_is_read_and_verified_by_all_commands(tmp_path, records, refused):
    whole, _ = records
    file = tmp_path / "whole.json"
    file.write_text(json.dumps(whole))

    def told(*command):
        run = subprocess.run([*BOLICHO, *command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    assert told("replay", file, "--json")["scores"] == whole["result"]["scores"]
    assert told("replay", file, "--record")["actions"] == whole["actions"]
    assert told("ask", file, "balanced", "--ply", "0", "--json")["chosen"] == whole["actions"][0]
    file.write_text(json.dumps(changed(whole, "fair", "nonces", 0, "11" * 16)))
    for command in (["replay", file], ["analyse", file, "--by", "balanced"], ["ask", file, "balanced", "--ply", "0"]):
        assert "not the one it committed to" in refused(*command)


def test_play_with_web_option_opens_a_match_at_the_printed_link(tmp_path):
    environment = {**ENVIRONMENT, "BROWSER": "true"}  # stands for a browser
    command = [*BOLICHO, "play", "truco", "human", "balanced", "--rule", "target=12", "--web"]
    with subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert "the table is open" in process.stdout.readline()
            found = re.fullmatch(
                r"(http://127\.0\.0\.1:\d+)/m/(\w+)#invite=([\w-]+)", process.stdout.readline().strip()
            )
            base, match, invite = found.groups()
            facts = httpx.get(f"{base}/api/matches/{match}").json()
            assert facts["state"] == "waiting" and facts["rules"] == {"target": 12}
            assert [player["agent"] for player in facts["players"]] == [None, "balanced"]
            sat = httpx.post(f"{base}/api/matches/{match}/sit", json={"invite": invite, "name": "Ana"}).json()
            headers = {"authorization": f"Bearer {sat['token']}"}
            assert httpx.get(f"{base}/api/matches/{match}/view", headers=headers).json()["view"]["seat"] == 0
            assert httpx.get(f"{base}/m/{match}").status_code == 200
        finally:
            process.terminate()
            process.communicate(timeout=30)


def test_options_that_conflict_with_web_option_are_refused(refused):
    assert "--web" in refused("play", "truco", "human", "balanced", "--web", "--seed", 1)
    assert "seats" in refused("play", "truco", "human", "--web")
    assert refused("play", "truco", "human", "nobody", "--web")
