"""Simple agents for tests, working and broken, named in experiments as `tests.arena.players:Name`."""

import gc
import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from bolicho import Action, Agent
from bolicho.agents.mirrored_games import deal_seed, luck_of_seats
from bolicho.files import write_text_atomic
from bolicho.games.compiled.chance import stream

HOME = "tests.arena.players"


class First(Agent):
    def act(self, view, rng):
        return view.legal[0]


class HighCard(Agent):
    """Agent that plays its strongest card, accepts everything and calls nothing."""

    def act(self, view, rng):
        if "quero" in view.legal:
            return "quero"
        cards = [action for action in view.legal if view.strength(action) < 15]
        return max(cards or view.legal, key=view.strength)


class Sleepy(Agent):
    """Random agent with a delay."""

    def __init__(self, nap: float = 0.001):
        self.nap = nap

    def act(self, view, rng):
        time.sleep(self.nap)
        return view.legal[int(rng.random() * len(view.legal))]


class Peeks(Agent):
    """Random agent that records its views, luck and calls."""

    def __init__(self):
        self.views, self.rngs, self.begun, self.ended = [], [], [], []

    def begin(self, game, seat):
        self.begun.append((game, seat))

    def act(self, view, rng):
        self.views.append(view)
        self.rngs.append(rng)
        return view.legal[int(rng.random() * len(view.legal))]

    def end(self, view):
        self.ended.append(view)


class Oracle(Peeks):
    oracle = True


class OnlyDominoes(First):
    games = ("dominoes",)


class Returns(Agent):
    """Agent that returns a fixed object."""

    def __init__(self, thing=None):
        self.thing = thing

    def act(self, view, rng):
        return self.thing


class Forges(Agent):
    """Agent that returns a legal text with the number of another action."""

    def act(self, view, rng):
        return Action(view.legal[0], view.numbers[-1])


class Raises(Agent):
    """Agent that raises after some decisions."""

    def __init__(self, after: int = 0, kind: str = "ZeroDivisionError"):
        self.after, self.kind, self.left = after, kind, after

    def begin(self, game, seat):
        self.left = self.after

    def act(self, view, rng):
        self.left -= 1
        if self.left < 0:
            raise getattr(__import__("builtins"), self.kind)("something went wrong at 0x7f3a5c00")
        return view.legal[0]


class Exits(Agent):
    def act(self, view, rng):
        sys.exit(3)


class BreaksInBegin(First):
    def begin(self, game, seat):
        raise RuntimeError("not today")


class BreaksInEnd(First):
    def end(self, view):
        raise RuntimeError("I wanted to win")


class Hangs(Agent):
    def act(self, view, rng):
        while True:
            time.sleep(0.01)


class HangsStubbornly(Agent):
    """Agent that catches every exception and hangs again, five times."""

    def act(self, view, rng):
        for _ in range(5):
            try:
                while True:
                    time.sleep(0.01)
            except BaseException:
                pass
        return view.legal[0]


class HangsInBegin(First):
    def begin(self, game, seat):
        while True:
            time.sleep(0.01)


class KillsItsProcess(Agent):
    """Agent that kills its process, once for each letter in the file `lives` of a folder.

    The option is the folder, because a file would be part of the agent's identity (see `arena.identity`).
    """

    def __init__(self, lives: str = ""):
        self.lives = lives

    def act(self, view, rng):
        file = Path(self.lives, "lives")
        left = file.read_text()
        if left:
            write_text_atomic(file, left[1:])  # another process may be reading
            os.kill(os.getpid(), signal.SIGKILL)
        return view.legal[0]


# --- Agents that try to use hidden information ------------------------------------------------------


class PlaysOnce(First):
    """Agent that raises when one object begins a second game."""

    def __init__(self):
        self.played = False

    def begin(self, game, seat):
        if self.played:
            raise RuntimeError("I remember the game before")
        self.played = True


class Learns(First):
    """Learner that records in a file which object saw which hand from which seat."""

    learns = True

    def __init__(self, diary: str = ""):
        self.diary = diary
        self.name = os.urandom(8).hex()

    def begin(self, game, seat):
        self.new = True

    def act(self, view, rng):
        if self.new:
            self.new = False
            with Path(self.diary).open("a") as file:
                file.write(json.dumps([self.name, view.seat, view.cards]) + "\n")
        return super().act(view, rng)


class Tires(Agent):
    """Learner that plays differently in each consecutive game."""

    learns = True

    def __init__(self):
        self.begun = 0

    def begin(self, game, seat):
        self.begun += 1

    def act(self, view, rng):
        return view.legal[self.begun % len(view.legal)]


class BecomesOracle(First):
    """Agent that sets the oracle flags of itself and its class, and raises when it gets the full state."""

    def __init__(self):
        self.oracle = True

    def begin(self, game, seat):
        type(self).oracle = self.oracle = True

    def act(self, view, rng):
        if int(view.state["seed"]):
            raise RuntimeError("I see everything")
        return super().act(view, rng)


class GuessesByLuck(First):
    """Agent that raises when its generator reveals the seed of the deal."""

    def act(self, view, rng):
        for seed in range(30):
            for deal in range(10):
                for luck in (deal_seed(seed, deal), f"{seed} {deal}"):
                    key = np.uint64(luck_of_seats(luck, view.game.seats)[view.seat])
                    if rng.number in [stream(key, ply) for ply in range(4)]:
                        raise RuntimeError("I know the deal from my luck")
        return super().act(view, rng)


class GuessesByHand(First):
    """Agent that raises when its opening hand reveals the deal."""

    def act(self, view, rng):
        if len(view.history) == 1:
            for seed in range(3):
                for deal in range(5):
                    hand = view.game.deal(deal_seed(seed, deal)).view(view.seat).cards
                    if hand == view.cards:
                        raise RuntimeError("I know the deal from my hand")
        return super().act(view, rng)


class LooksAround(Agent):
    """Agent that raises when its process contains a table, a seed or the name of an opponent."""

    def act(self, view, rng):
        found = [thing for thing in gc.get_objects() if type(thing).__name__ in ("Table", "Tables", "Experiment")]
        frame, names = sys._getframe(), set()
        while frame is not None:
            names |= {str(name) for name in frame.f_locals} | {repr(value)[:200] for value in frame.f_locals.values()}
            frame = frame.f_back
        secrets = [word for word in names if "balanced" in word or "drawn:" in word]
        environment = [word for word in (*os.environ.values(), *sys.argv) if "balanced" in word or "drawn:" in word]
        if found or secrets or environment or int(view.state["seed"]):
            raise RuntimeError(f"I see {found} {secrets} {environment}")
        return view.legal[0]


class BreaksWhenMadeAgain(First):
    """Agent that can be made once for each letter in a file."""

    def __init__(self, lives: str = ""):
        left = Path(lives).read_text()
        Path(lives).write_text(left[1:])
        if not left:
            raise OSError("not once more")
