"""Servers killed with SIGKILL during many matches: no accepted move is lost, and every match stays the same.

Players and agents choose the same action at the same ply after any interruption. A match is then determined
by its secret and nonces, and is played again in this process for comparison.
"""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

import bolicho
from bolicho.agents.mirrored_games import luck_of_seats
from bolicho.agents.play import answer
from bolicho.agents.registry import agent as make_agent
from bolicho.store import database
from bolicho.web import fair_deals
from bolicho.web.match import Match
from tests.web.running import Served, me, pick
from tests.web.running import agent as seat_of

OPPONENTS = ["balanced", "random", "bluffer", "novice"]
THINKER = "mcts"
RULES = {"target": 12}


class Player:
    """A person in a match against an agent, who continues after every interruption."""

    def __init__(self, served, opponent):
        made = served.made("truco", [me("Ana"), seat_of(opponent)], RULES)
        self.match, self.token, self.opponent = made["match"], made["seats"][0]["token"], opponent
        self.known = 0
        self.message = None
        self.accepted = {}  # action by ply, for answered moves

    @property
    def over(self):
        return self.message is not None and self.message["state"] == "over"

    def step(self, served):
        """Request a view or send a move, and return whether a move was accepted."""
        try:
            if self.message is None or not self.message["view"]["legal"]:
                query = {"ply": self.known, "wait": 0}
                self.heard(served.get(f"/api/matches/{self.match}/view", self.token, **query))
                return False
            ply, action = self.message["ply"], pick(self.message["view"], self.match)
            if not self.heard(served.move(self.match, self.token, ply, action)):
                return False
            self.accepted[ply] = action
            return True
        except (httpx.TransportError, RuntimeError):  # the server was killed; the move may have arrived or not
            self.message = None
            time.sleep(0.05)
            return False

    def heard(self, answer):
        assert answer.status_code in (200, 429, 503), answer.text
        if answer.status_code != 200:
            self.message = None
            time.sleep(answer.json()["after"])
            return False
        self.message = answer.json()
        assert self.message["ply"] >= self.known, "the server lost a ply that it had shown"
        self.known = self.message["ply"]
        return True


def play_through(players, servers, kills, threads=6, seed=5):
    """Play all matches to their end while servers are killed at random moments, and return the number of kills."""
    count, lock, failures = 0, threading.Lock(), []

    def play(some, rng):
        nonlocal count
        try:
            while waiting := [player for player in some if not player.over]:
                for player in waiting:
                    moved = player.step(rng.choice(servers))
                    with lock:
                        count += moved
        except BaseException as problem:
            failures.append(problem)

    working = [
        threading.Thread(target=play, args=(players[i::threads], random.Random(seed + i))) for i in range(threads)
    ]
    for thread in working:
        thread.start()
    rng, killed = random.Random(seed), 0
    for victims in kills:
        due = count + rng.randrange(20, 150)
        while count < due and any(thread.is_alive() for thread in working):
            time.sleep(0.002)
        time.sleep(rng.random() / 50)
        if not any(thread.is_alive() for thread in working):
            break
        for victim in victims:
            servers[victim].kill()
        with ThreadPoolExecutor(len(victims)) as pool:
            list(pool.map(lambda victim: servers[victim].start(), victims))
        killed += 1
    for thread in working:
        thread.join()
    if failures:
        raise failures[0]
    return killed


def undisturbed(row, sitting, seed):
    """Play the same match without interruptions."""
    game = bolicho.game(row.game, **row.rules)
    table = Match(row, sitting).table
    luck = luck_of_seats(fair_deals.luck(row.secret), game.seats)
    while not table.over:
        spec = sitting[table.turn].agent
        if spec is None:
            table.play(pick(table.view().data(), seed))
        else:
            table.play(answer(table, make_agent(spec, game), luck[table.turn]))
    return table


def check_all(players, url):
    """Check that every accepted move is stored, and that the stored moves are those of the undisturbed match."""
    engine = database.open_database(url)
    with engine.connect() as connection:
        for player in players:
            row, sitting = database.read_match(connection, player.match)
            moves = [action for _, action, _ in database.read_moves(connection, player.match)]
            table = undisturbed(row, sitting, player.match)
            assert [int(action) for action in table.actions] == moves
            for ply, action in player.accepted.items():
                assert str(table.actions[ply]) == action
            assert row.result["scores"] == table.scores and row.ended is not None
            assert player.message["view"]["log"] == table.view(0).data()["log"]
    engine.dispose()


@pytest.mark.parametrize(("matches", "kills"), [(20, 2), pytest.param(98, 6, marks=pytest.mark.nightly)])
def test_repeatedly_killed_server_loses_no_accepted_move(tmp_path, matches, kills):
    served = Served(tmp_path / "matches.db", "--game", "truco")
    try:
        players = [Player(served, OPPONENTS[i % len(OPPONENTS)]) for i in range(matches)]
        players += [Player(served, THINKER) for _ in range(2)]
        assert play_through(players, [served], [[0]] * kills) == kills
    finally:
        served.stop()
    check_all(players, str(tmp_path / "matches.db"))


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_worker_processes_end_with_a_killed_server(truco):
    match, token = truco.make()
    ThreadPoolExecutor(1).submit(truco.post, f"/api/matches/{match}/hint", {"agent": "balanced"}, token)
    while not (left := children(truco.process.pid)):  # the worker has not started yet
        time.sleep(0.01)
    truco.kill()
    truco.start()
    end = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in left):
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("matches", "kills"), [(20, [[0, 1], [1]]), pytest.param(100, [[0, 1], [0, 1], [1]], marks=pytest.mark.nightly)]
)
def test_two_killed_processes_on_one_database_lose_no_accepted_move(postgresql, matches, kills):
    servers = []
    try:
        servers += [Served(postgresql, "--game", "truco") for _ in range(2)]
        players = [Player(servers[i % 2], OPPONENTS[i % len(OPPONENTS)]) for i in range(matches)]
        assert play_through(players, servers, kills) == len(kills)
    finally:
        for served in servers:
            served.stop()
    check_all(players, postgresql)


def under_way(served):
    """Return a running match of agents that was not decided by one bet."""
    while True:
        match = served.made("truco", [seat_of("mcts"), seat_of("random")], RULES)["match"]
        while (told := served.view(match))["ply"] < 4 and told["state"] == "playing":
            time.sleep(0.1)
        if told["state"] == "playing":
            return match


def test_match_of_agents_continues_after_a_kill(tmp_path):
    url = str(tmp_path / "matches.db")
    served = Served(url, "--game", "truco")
    try:
        match = under_way(served)
        served.kill()
        served.start()
        end = time.monotonic() + 90
        while served.get(f"/api/matches/{match}").json()["state"] != "over":  # without a view of the match
            assert time.monotonic() < end
            time.sleep(0.2)
    finally:
        served.stop()
    engine = database.open_database(url)
    with engine.connect() as connection:
        row, sitting = database.read_match(connection, match)
        moves = [action for _, action, _ in database.read_moves(connection, match)]
    engine.dispose()
    assert [int(action) for action in undisturbed(row, sitting, 0).actions] == moves
