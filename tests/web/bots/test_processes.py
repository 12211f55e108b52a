"""Bots at several server processes on one PostgreSQL database."""

import pytest

from tests.web.bots.playing import events, token_for, watching
from tests.web.running import Served, pick

RULES = {"target": 2, "flor": False}


@pytest.fixture(scope="module")
def servers(postgresql):
    found = []
    try:
        found += [Served(postgresql, "--game", "truco") for _ in range(2)]
        yield found
    finally:
        for served in found:
            assert "Traceback" not in served.stop()


def test_bots_connected_to_two_processes_play_each_other(servers):
    here, there = servers
    ana, rui = token_for(here, "ana"), token_for(here, "rui")
    with events(here, ana) as hers, events(there, rui) as his:
        match = here.post("/api/challenges", {"game": "truco", "rules": RULES, "to": "rui"}, ana).json()["match"]
        assert his.hear("challenge")["match"] == match
        there.post(f"/api/challenges/{match}/accept", None, rui)
        assert hers.hear("start")["match"] == his.hear("start")["match"] == match
        with watching(here, match, ana) as her_seat, watching(there, match, rui) as his_seat:
            sides = [(here, ana, her_seat), (there, rui, his_seat)]
            messages = [seat.hear("full") for _, _, seat in sides]
            while messages[0]["state"] != "over":
                turn = next(seat for seat in (0, 1) if messages[seat]["view"]["legal"])
                served, token, _ = sides[turn]
                view = messages[turn]["view"]
                assert served.move(match, token, view["ply"], pick(view, match)).status_code == 200
                ply = view["ply"]
                for seat, (_, _, stream) in enumerate(sides):
                    while messages[seat]["ply"] <= ply and messages[seat]["state"] != "over":
                        messages[seat] = stream.hear("view")
        assert hers.hear("finish")["result"] == his.hear("finish")["result"]
