"""Games that a server describes, and user-defined games that it serves by address."""

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from bolicho import BadInput, game
from bolicho.games import BUILT_IN, home, kind
from bolicho.i18n import LANGUAGES
from bolicho.web import fair_deals
from bolicho.web.assets import PAGES
from bolicho.web.game_list import Games
from bolicho.web.rendering import GENERIC, look_of
from tests.web.running import agent, me, play_by_http, said

KUHN, DRAWN = "examples.kuhn:KUHN", "tests.web.drawn:DRAWN"


def described(served):
    answer = served.get("/api/games").json()
    Games.model_validate(answer)
    return {one["name"]: one for one in answer["games"]}


def test_game_at_an_address_has_the_address_as_its_name():
    kuhn = game(KUHN)
    assert kuhn.name == KUHN and kuhn.kind.title == "Kuhn poker" and home(KUHN) == "examples.kuhn"
    assert kuhn == game(KUHN) and kuhn.deal(3).record()["game"] == KUHN


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("examples.kuhn:NOTHING", "has no attribute"),
        ("no_such_module:KUHN", "No module named"),
        ("examples.kuhn:deal_number", "is not a game"),
        ("examples.kuhn:KUHN.name", "cannot read"),
        ("examples/kuhn:KUHN", "cannot read"),
    ],
)
def test_address_without_a_game_is_refused(address, why):
    with pytest.raises(BadInput, match=why):
        kind(address)


def test_description_of_built_in_games(truco):
    truco_only = described(truco)
    assert list(truco_only) == ["truco"]
    told = truco_only["truco"]
    assert told["look"] == "truco" and not told["drawn"] and told["seat_numbers"] == [2]
    assert told["rules"]["target"] == {"type": "int", "default": 24, "choices": None}
    names = {one["action"]: one["names"] for one in told["actions"]}
    assert names["1e"] == {"en": "1 of espadas", "pt": "1 de espadas", "es": "1 de espadas"}
    assert {"balanced", "mcts", "random"} <= set(told["agents"]) and "human" not in told["agents"]


def test_description_of_games_by_address(poker):
    told = described(poker)
    assert list(told) == [KUHN, DRAWN]
    assert told[KUHN]["actions"][0] == {"action": "pass", "names": dict.fromkeys(LANGUAGES, "pass")}
    assert [told[name]["drawn"] for name in told] == [False, True]
    assert {one["look"] for one in told.values()} == {"generic"} and told[KUHN]["rules"] == {}
    chips = {"type": "str", "default": "round", "choices": ["round", "square"]}
    assert told[DRAWN]["rules"] == {"chips": chips}
    assert {"random", "mcts", "pimc-search"} <= set(told[KUHN]["agents"])


def test_numbers_of_seats_follow_the_rule_of_players():
    from bolicho.web.game_list import told_of

    told = told_of("wonders", ())
    assert told["seats"] == 3 and told["seat_numbers"] == [3, 4, 5, 6, 7] and told["seats_rule"] == "players"


def test_openapi_contains_the_schema_of_games(truco):
    schema = truco.get("/openapi.json").json()
    answer = schema["paths"]["/api/games"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"$ref": "#/components/schemas/Games"}


def test_server_has_no_echo_for_measurements(truco):
    with pytest.raises(InvalidStatus), connect(truco.base.replace("http", "ws", 1) + "/api/echo"):
        pass


def test_every_game_has_a_module_that_draws_it():
    looks = {look_of(kind(name)) for name in BUILT_IN}
    assert looks == {"truco", "dominoes", "wonders"}
    assert all((PAGES / f"{name}.{ending}").exists() for name in {*looks, GENERIC} for ending in ("js", "css"))


def test_address_that_is_not_served_is_not_imported(truco):
    for name in ("tests.games.nim:NIM", "antigravity:x"):
        answer = truco.post("/api/matches", {"game": name, "seats": [me(), agent("random")]})
        assert answer.status_code == 422 and said(answer) == "server.no-game"
        assert truco.get("/api/agents", game=name).status_code == 404
        assert truco.get("/api/options", game=name).status_code == 404


def test_match_of_a_game_by_address_is_played_and_verified(poker):
    match, token = poker.make(KUHN, ["mcts"])
    assert play_by_http(poker, match, token)["state"] == "over"
    whole = poker.get(f"/api/matches/{match}/record", **{"as": "whole"}).json()
    assert whole["game"] == KUHN and all(fair_deals.check_record(whole))
    assert poker.get(f"/api/matches/{match}/why", token, ply=1).json()["agent"] == "mcts"


def test_views_of_a_drawn_game_contain_its_drawing_for_seats_only(poker):
    match, token = poker.make(DRAWN, ["random"])
    view = poker.view(match, token)["view"]
    mine = view["table"]["cards"][0]
    assert f'data-card="{mine}"' in view["svg"] and 'data-card="?"' in view["svg"]
    assert "svg" not in poker.view(match)["view"]
    assert "svg" not in poker.view(*poker.make(KUHN, ["random"]))["view"]
