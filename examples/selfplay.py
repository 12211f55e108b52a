"""Learn a game by self-play: a masked policy gradient on `bolicho.vector`.

    python examples/selfplay.py dominoes --minutes 5

needs the extra `train`. One net plays every seat. Each round plays many games; the advantage of a choice is the final
payoff of its seat minus the expected one, and PPO's clipped step makes choices of positive advantage more probable. At
intervals the net plays `random`; the curve is printed, and written to `--curve FILE.csv`.
"""

import argparse
import csv
import time
from itertools import count
from pathlib import Path

import numpy as np
import torch
from torch import nn

from bolicho.kit import Game, rate, win_shares
from bolicho.vector import Environment

STEPS, TABLES, EVERY = 192, 128, 20  # choices per table and tables of a round; seconds between points of the curve
PASSES, BATCH, CLIP, ENTROPY, RATE = 3, 2048, 0.2, 0.01, 5e-4


class Policy(nn.Module):
    """Two layers, with two outputs: a preference for each action, and the expected payoff of the seat."""

    def __init__(self, features: int, actions: int, width: int = 256) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.choice = nn.Linear(width, actions)
        self.worth = nn.Linear(width, 1)

    def forward(self, features: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log probabilities of all actions, minus infinity for illegal ones, and the expected payoff."""
        inside = self.body(features)
        chances = self.choice(inside).masked_fill(~masks, -torch.inf)
        return torch.log_softmax(chances, dim=-1), self.worth(inside).squeeze(-1)


def draw(logs: torch.Tensor) -> torch.Tensor:
    """Sample an action for each row (the largest of the log probabilities plus Gumbel noise)."""
    noise = -torch.log(-torch.log(torch.rand_like(logs).clamp_(1e-9, 1 - 1e-9)))
    return (logs + noise).argmax(dim=-1)


class Learner:
    """The net, its games, and the scale of payoffs."""

    def __init__(self, name: str, seed: int) -> None:
        torch.manual_seed(seed)
        self.environment = Environment(name, TABLES, seed)
        game = self.environment.game
        self.policy = Policy(game.num_features, game.num_actions)
        self.optimiser = torch.optim.Adam(self.policy.parameters(), RATE)
        self.seen = self.environment.reset()
        self.scale = 1.0

    @torch.no_grad()
    def play(self) -> tuple[torch.Tensor, ...]:
        """Play one round; return features, masks, actions, log probabilities, and payoffs of the finished games."""
        game = self.environment.game
        features = torch.empty(STEPS, TABLES, game.num_features)
        masks = torch.empty(STEPS, TABLES, game.num_actions, dtype=torch.bool)
        actions = torch.empty(STEPS, TABLES, dtype=torch.long)
        logs = torch.empty(STEPS, TABLES)
        seats, done = np.empty((STEPS, TABLES), np.int64), np.empty((STEPS, TABLES), bool)
        rewards = np.empty((STEPS, TABLES, game.seats))
        for step in range(STEPS):
            features[step], masks[step] = torch.from_numpy(self.seen.features), torch.from_numpy(self.seen.masks)
            seats[step] = self.seen.seats
            chances, _ = self.policy(features[step], masks[step])
            actions[step] = draw(chances)
            logs[step] = chances.gather(1, actions[step, :, None])[:, 0]
            self.seen, rewards[step], done[step] = self.environment.step(actions[step].numpy())
        payoffs = np.full((STEPS, TABLES), np.nan)  # unknown for unfinished games
        ahead = np.full((TABLES, game.seats), np.nan)
        for step in range(STEPS - 1, -1, -1):
            ahead[done[step]] = rewards[step][done[step]]
            payoffs[step] = ahead[np.arange(TABLES), seats[step]]
        known = torch.from_numpy(~np.isnan(payoffs))
        self.scale = 0.9 * self.scale + 0.1 * float(np.nanstd(payoffs) or 1)
        gained = torch.from_numpy(payoffs / self.scale).float()
        return features[known], masks[known], actions[known], logs[known], gained[known]

    def learn(self, features, masks, actions, before, gained) -> None:
        """Make choices of positive advantage more probable, in small steps."""
        for _ in range(PASSES):
            for rows in torch.randperm(len(actions)).split(BATCH):
                logs, worth = self.policy(features[rows], masks[rows])
                better = gained[rows] - worth.detach()
                better = (better - better.mean()) / (better.std() + 1e-6)
                ratio = (logs.gather(1, actions[rows, None])[:, 0] - before[rows]).exp()
                gain = torch.minimum(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
                entropy = -(logs.exp() * logs.masked_fill(~masks[rows], 0)).sum(-1).mean()
                loss = -gain - ENTROPY * entropy + 0.5 * (worth - gained[rows]).square().mean()
                self.optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
                self.optimiser.step()


@torch.no_grad()
def against_random(policy: Policy, game: Game, games: int, seed: int = 7) -> dict[str, float]:
    """Return the share of wins against random players, with its 95% interval, and the mean payoff."""
    environment = Environment(game, games, seed)
    seen, rng, own = environment.reset(), np.random.default_rng(seed), np.arange(games) % game.seats
    payoffs, finished = np.zeros((games, game.seats)), np.zeros(games, bool)
    while not finished.all():
        logs, _ = policy(torch.from_numpy(seen.features), torch.from_numpy(seen.masks))
        anything = (rng.random(seen.masks.shape) * seen.masks).argmax(axis=1)
        seen, rewards, done = environment.step(np.where(seen.seats == own, draw(logs).numpy(), anything))
        payoffs[done & ~finished] = rewards[done & ~finished]
        finished |= done
    won, payoff = rate(win_shares(payoffs)[np.arange(games), own]), payoffs[np.arange(games), own].mean()
    return {"won": won.value, "low": won.low, "high": won.high, "payoff": payoff}


def main() -> None:
    """Train for some minutes of processor time, and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="truco, dominoes, fives or wonders")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=1000, help="games against random, at each point of the curve")
    parser.add_argument("--curve", type=Path, default="curve.csv", help="file of the curve")
    options = parser.parse_args()
    torch.set_num_threads(1)
    learner, start, spent = Learner(options.game, options.seed), time.process_time(), 0.0
    policy, game = learner.policy, learner.environment.game
    with options.curve.open("w", newline="") as file:
        curve = csv.DictWriter(file, ["seconds", "won", "low", "high", "payoff"])
        curve.writeheader()
        for meeting in count():
            found = {"seconds": round(spent), **against_random(policy, game, options.games)}
            curve.writerow(found)
            print("{seconds:4} s: won {won:.1%} ({low:.1%} to {high:.1%})".format(**found), flush=True)
            if spent >= 60 * options.minutes:
                return
            while spent < min(60 * options.minutes, EVERY * (meeting + 1)):
                learner.learn(*learner.play())
                spent = time.process_time() - start


if __name__ == "__main__":
    main()
