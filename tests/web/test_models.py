"""Response models, compared with the JSON that is sent."""

import json

import numpy as np
import orjson
import pytest

from bolicho import game
from bolicho.web.models import MatchResponse, ViewResponse
from tests.web.running import described as routes

RULES = [
    ("truco", {"target": 12, "envido_first": True}),
    ("dominoes", {"highest": 9}),
    ("fives", {}),
    ("wonders", {"players": 4, "trade": "choose"}),
]


@pytest.mark.parametrize(("name", "rules"), RULES)
def test_model_of_a_view_has_exactly_the_keys_that_are_sent(name, rules):
    rng = np.random.default_rng(1)
    for seed in range(2):
        table = game(name, **rules).deal(seed)
        while True:
            for view in (*(table.view(seat) for seat in range(table.game.seats)), table.public_view()):
                sent = orjson.dumps(view.data())
                read = ViewResponse.model_validate_json(sent, strict=True)
                assert type(read.table) is type(view.table)
                assert json.loads(read.model_dump_json(by_alias=True, exclude_unset=True)) == json.loads(sent)
            if table.over:
                break
            table.play(table.legal[rng.integers(len(table.legal))])


def test_responses_of_a_server_fit_the_model(truco):
    match, token = truco.make()
    for answer in (truco.view(match, token), truco.view(match)):
        MatchResponse.model_validate_json(json.dumps(answer), strict=True)


def test_replies_of_the_main_routes_are_described():
    """`Served.ask` checks every reply to them in all tests."""
    described = [(method, route.path) for route, _ in routes() for method in route.methods]
    assert len(described) >= 25 and {
        ("POST", "/api/matches"), ("GET", "/api/matches/{number}"), ("GET", "/api/matches/{number}/view"),
        ("GET", "/api/agents"), ("GET", "/api/arena/runs"), ("GET", "/api/arena/runs/{name}/games"),
        ("GET", "/api/studies/{study}/me"), ("POST", "/api/studies/{study}/me"),
    } <= set(described)  # fmt: skip


def test_openapi_names_the_structures_of_the_games(truco):
    described = truco.get("/openapi.json").json()
    shown = described["components"]["schemas"]
    answer = described["paths"]["/api/matches/{number}/view"]["get"]["responses"]["200"]
    assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/MatchResponse")
    tables = {
        part["$ref"].rpartition("/")[2]
        for part in shown["ViewResponse"]["properties"]["table"]["anyOf"]
        if "$ref" in part
    }
    assert tables == {"TrucoTable", "DominoesTable", "WondersTable"}
    assert list(shown["Points"]["properties"]) == ["seat", "points", "for"]
