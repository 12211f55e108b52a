import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import event

import bolicho
from bolicho import Agent, BadInput
from bolicho.agents.mirrored_games import luck_of_seats
from bolicho.agents.play import forfeit_payoffs, play
from bolicho.games.compiled.chance import stream
from tests.arena import players

ROOT = Path(__file__).parents[2]
TRUCO = bolicho.game("truco")


def randoms():
    return [bolicho.agent("random"), bolicho.agent("random")]


@given(st.integers(0, 2**64 - 1))
@settings(max_examples=20, deadline=None)
def test_a_game_is_fixed_by_its_seed_and_replays(seed):
    played, again = play(TRUCO, randoms(), seed), play(TRUCO, randoms(), seed)
    assert played.record() == again.record()
    table = TRUCO.deal(seed)
    for action in played.record()["actions"]:
        table.play(action)
    assert table.over
    assert (table.scores, table.payoffs) == (played.scores, played.payoffs)
    assert played.plies == sum(played.decisions) == len(table.actions)


def test_the_loop_asks_exactly_the_seat_whose_turn_it_is():
    agents = [players.Peeks(), players.Peeks()]
    played = play(TRUCO, agents, 5)
    assert [len(agent.views) for agent in agents] == played.decisions
    for seat, agent in enumerate(agents):
        assert {(view.seat, view.turn) for view in agent.views} == {(seat, seat)}


def test_a_player_sees_a_hidden_state_and_an_oracle_the_whole():
    player, oracle = players.Peeks(), players.Oracle()
    play(TRUCO, [player, oracle], seed=123456789)
    assert {int(view.state["seed"]) for view in player.views} == {0}
    assert all((view.state["hands"][1] == -1).all() for view in player.views)
    assert {int(view.state["seed"]) for view in oracle.views} == {123456789}


def test_agent_that_sets_its_oracle_flag_during_play_stays_a_player():
    try:
        played = play(TRUCO, [players.BecomesOracle(), players.First()], 3)
    finally:
        players.BecomesOracle.oracle = False
    assert played.forfeit is None
    assert play(TRUCO, [players.Peeks(), players.First()], 3, oracles=[True, False]).forfeit is None


def test_given_luck_is_independent_of_the_deal():
    agents = [players.Peeks(), players.Peeks()]
    played = play(TRUCO, agents, 5, luck="of its own")
    assert played.record()["seed"] == 5
    key = luck_of_seats("of its own", 2)[played.first]
    assert agents[played.first].rngs[0].number == stream(np.uint64(key), 0)


def test_begin_and_end_are_called_once_with_the_seat_and_the_last_view():
    agents = [players.Peeks(), players.Peeks()]
    played = play(TRUCO, agents, 5)
    for seat, agent in enumerate(agents):
        assert agent.begun == [(TRUCO, seat)]
        (last,) = agent.ended
        assert (last.seat, last.over, last.scores) == (seat, True, played.scores)


def test_every_decision_has_its_own_luck_that_does_not_reveal_the_seed():
    agents = [players.Peeks(), players.Peeks()]
    played = play(TRUCO, agents, seed=42)
    keys = [int.from_bytes(hashlib.sha256(f"42 {seat} agent".encode()).digest()[:8]) for seat in (0, 1)]
    again = TRUCO.deal(42)
    wanted = [[], []]
    for ply, action in enumerate(played.table.actions):
        wanted[again.turn].append(int(stream(np.uint64(keys[again.turn]), ply)))
        again.play(action)
    assert [[rng.number for rng in agent.rngs] for agent in agents] == wanted
    assert len({*wanted[0], *wanted[1]}) == played.plies
    assert len({rng.random() for agent in agents for rng in agent.rngs}) == played.plies


def test_a_table_that_is_set_up_is_played_on():
    table = TRUCO.setup(hands=[["1e", "7o", "12p"], ["7e", "2c", "4e"]], mao=1, scores=[22, 23])
    played = play(TRUCO, randoms(), 1, table=table)
    assert played.table is table and table.over
    assert played.record()["setup"]["mao"] == 1
    assert played.first == 1


def test_a_game_that_is_over_at_the_deal_has_a_result_and_no_decisions():
    table = TRUCO.setup(hands=[["1e", "7o", "12p"], ["7e", "2e", "4e"]], mao=1, scores=[22, 23])  # a flor
    played = play(TRUCO, randoms(), 1, table=table)
    assert (played.scores, played.payoffs, played.first, played.plies) == ([22, 26], [-1.0, 1.0], None, 0)


def test_agents_must_be_as_many_as_seats():
    with pytest.raises(BadInput, match="2 seats, but 1 agents"):
        play(TRUCO, randoms()[:1], 1)


# --- Forfeits -----------------------------------------------------------------------------------

BROKEN = {
    "raises": (players.Raises(), "ply 0: raised ZeroDivisionError: something went wrong at 0x… (players.py, line "),
    "raises nothing to say": (players.Returns.__new__(players.Returns), "ply 0: raised AttributeError: "),
    "exits": (players.Exits(), "ply 0: raised SystemExit: 3 (players.py, line "),
    "says not how it acts": (Agent(), "ply 0: raised NotImplementedError: Agent does not implement act"),
    "nothing": (players.Returns(None), "ply 0: returned None, which is not one of "),
    "a fraction": (players.Returns(0.5), "ply 0: returned 0.5, "),
    "a truth": (players.Returns(True), "ply 0: returned True, "),
    "bytes": (players.Returns(b"truco"), "ply 0: returned b'truco', "),
    "a list": (players.Returns([1]), "ply 0: returned [1], "),
    "an array": (players.Returns(np.zeros(3)), "ply 0: returned array([0., 0., 0.]), "),
    "an object": (players.Returns(object()), "ply 0: returned <object object at 0x…>, "),
    "a long text": (players.Returns("x" * 10_000), "ply 0: seat 0 tried 'xxx"),
    "no action": (players.Returns("pass"), "ply 0: seat 0 tried 'pass', which is not legal here (it is neither a card"),
    "an answer to nothing": (players.Returns("quero"), "ply 0: seat 0 tried 'quero', which is not legal here; legal: "),
    "a negative number": (players.Returns(-1), "ply 0: returned -1, "),
    "a huge number": (players.Returns(2**70), "ply 0: returned 1180591620717411303424, "),
    "an illegal number": (players.Returns(89), "ply 0: returned 89, "),  # quero
    "begin": (players.BreaksInBegin(), "begin: raised RuntimeError: not today (players.py, line "),
    "end": (players.BreaksInEnd(), "end: raised RuntimeError: I wanted to win (players.py, line "),
}


@pytest.mark.parametrize(("broken", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_agent_forfeits_with_a_reason(broken, reason):
    other = players.Peeks()
    played = play(TRUCO, [broken, other], seed=3)
    seat, why = played.forfeit
    assert seat == 0
    assert why.startswith(reason)
    assert "\n" not in why and len(why) < 400
    assert played.payoffs == [-1.0, 1.0]
    assert len(other.begun) == len(other.ended) == 1, "the other agent gets both begin and end"


class Unprintable:
    def __repr__(self):
        raise RuntimeError

    __eq__ = None


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError


def test_unprintable_answers_and_errors_forfeit():
    class RaisesUnprintable(Agent):
        def act(self, view, rng):
            raise UnprintableError

    played = play(TRUCO, [players.Returns(Unprintable()), players.First()], 3)
    assert played.forfeit[1].startswith("ply 0: returned an object of type Unprintable, ")
    assert (
        play(TRUCO, [RaisesUnprintable(), players.First()], 3)
        .forfeit[1]
        .startswith("ply 0: raised UnprintableError (test_play.py")
    )


def test_a_forfeit_in_mid_game_keeps_the_scores_as_they_stood():
    whole = play(TRUCO, [players.First(), players.First()], 8)
    broken = play(TRUCO, [players.First(), players.Raises(after=5)], 8)
    assert broken.forfeit[0] == 1
    assert broken.payoffs == [1.0, -1.0]
    actions = broken.record()["actions"]
    assert actions == whole.record()["actions"][: len(actions)]
    table = TRUCO.deal(8)
    for action in actions:
        table.play(action)
    assert table.turn == 1 and table.scores == broken.scores
    assert broken.decisions[1] == 5


def test_forfeit_payoffs_sum_to_zero_and_are_lowest_for_the_forfeiting_seat():
    assert forfeit_payoffs(2, 1) == [1.0, -1.0]
    assert forfeit_payoffs(5, 2) == [0.25, 0.25, -1.0, 0.25, 0.25]


def test_forged_action_is_played_as_its_text():
    played = play(TRUCO, [players.Forges(), players.Forges()], 3)
    honest = play(TRUCO, [players.First(), players.First()], 3)
    assert played.forfeit is None
    assert played.record() == honest.record()
    assert [action.number for action in played.table.actions] == [action.number for action in honest.table.actions]


def test_numbers_and_texts_are_accepted_as_actions():
    class Numbers(Agent):
        def act(self, view, rng):
            return np.int64(view.numbers[0])

    class Texts(Agent):
        def act(self, view, rng):
            return str(view.legal[0])

    played = play(TRUCO, [Numbers(), Texts()], 3)
    assert played.forfeit is None
    assert played.record() == play(TRUCO, [players.First(), players.First()], 3).record()


def test_keyboard_interrupt_is_not_a_forfeit():
    with pytest.raises(KeyboardInterrupt):
        play(TRUCO, [players.Raises(kind="KeyboardInterrupt"), players.First()], 3)


def test_error_in_the_rules_is_not_a_forfeit(monkeypatch):
    def broken(table, action):
        raise RuntimeError("the rules have a bug")

    monkeypatch.setattr(bolicho.Table, "play", broken)
    with pytest.raises(RuntimeError, match="the rules have a bug"):
        play(TRUCO, [players.First(), players.First()], 3)


# --- Time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", [players.Hangs(), players.HangsStubbornly()], ids=["plainly", "stubbornly"])
def test_agent_that_exceeds_the_time_limit_forfeits(agent):
    played = play(TRUCO, [players.First(), agent], 3, move_limit=0.3)
    assert played.forfeit == (1, f"ply {played.plies}: did not answer within 0.3 s")
    assert played.payoffs == [1.0, -1.0]


def test_hanging_in_begin_forfeits():
    played = play(TRUCO, [players.HangsInBegin(), players.First()], 3, move_limit=0.3)
    assert played.forfeit == (0, "begin: did not answer within 0.3 s")


def test_time_limit_does_not_change_games_of_agents_that_answer():
    assert play(TRUCO, randoms(), 9, move_limit=30.0).record() == play(TRUCO, randoms(), 9).record()


def test_late_answer_outside_the_main_thread_forfeits_on_arrival():
    results = []
    game = [TRUCO, [players.Sleepy(nap=0.5), players.First()], 3]
    thread = threading.Thread(target=lambda: results.append(play(*game, move_limit=0.3)))
    thread.start()
    thread.join()
    assert results[0].forfeit == (0, "ply 0: did not answer within 0.3 s")


STOPPED = """
import sys, time
import bolicho
from bolicho.agents.play import play
from tests.arena import players


class Naps(players.First):
    def act(self, view, rng):
        if not napped:
            napped.append(1)
            print("thinking", flush=True)
            time.sleep({nap})
        return super().act(view, rng)


napped = []
game = bolicho.game("truco")
play(game, [players.First(), players.First()], 3)  # compiles
print(play(game, [Naps(), players.First()], 3, move_limit=2.0).forfeit, flush=True)
"""


def forfeit_of_a_stopped_process(nap):
    """Return the forfeit of a game whose process is stopped for twice the limit during a decision."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    program = [sys.executable, "-c", STOPPED.format(nap=nap)]
    with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "thinking\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(4)
        process.send_signal(signal.SIGCONT)
        return process.stdout.readline().strip()


def test_stopped_process_causes_no_forfeit():
    assert forfeit_of_a_stopped_process(nap=0.3) == "None"


def test_hanging_agent_forfeits_after_its_process_was_stopped():
    assert forfeit_of_a_stopped_process(nap=3600) == "(0, 'ply 0: did not answer within 2 s')"


def test_uninterruptible_agent_forfeits_when_its_late_answer_arrives():
    class Counts(players.First):
        def act(self, view, rng):
            start = time.process_time()
            while time.process_time() - start < 0.5:  # each step is one call into C
                sum(range(10_000_000))
            return super().act(view, rng)

    played = play(TRUCO, [Counts(), players.First()], 3, move_limit=0.1)
    assert played.forfeit == (0, "ply 0: did not answer within 0.1 s")


def test_compilation_is_not_thinking_time():
    class Compiles(Agent):
        def act(self, view, rng):
            if view.turn == 0 and not compiled:
                compiled.append(1)
                with event.trigger_event("numba:compile"):
                    time.sleep(1.5)
            return view.legal[0]

    compiled = []
    played = play(TRUCO, [Compiles(), players.First()], 3, move_limit=1.0)
    assert compiled and played.forfeit is None
    assert played.slowest[0] < 1.0


def test_previous_timer_and_signal_handler_are_restored():
    def mine(number, frame):
        pass

    before = signal.signal(signal.SIGALRM, mine)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1000, 500)
        play(TRUCO, [players.First(), players.Hangs()], 3, move_limit=0.3)
        assert signal.getsignal(signal.SIGALRM) is mine
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert 900 < left <= 1000 and interval == 500
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_agent_may_play_nested_games_during_a_decision():
    class Imagines(Agent):
        def act(self, view, rng):
            play(TRUCO, randoms(), 1, move_limit=30.0)
            return view.legal[0]

    played = play(TRUCO, [Imagines(), players.Hangs()], 3, move_limit=0.5)
    assert played.forfeit == (1, f"ply {played.plies}: did not answer within 0.5 s")
