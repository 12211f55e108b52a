"""Agent `llm(model=...)`: a language model behind a chat-completions endpoint decides for a seat.

The prompt is made from the view (`prompt`), the answer is read strictly (`reading`), with one repair. After that the
seat forfeits, or plays a random legal action if `fallback=random`. Every exchange is kept (`exchanges`).
"""

import math
import os
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.llm.endpoint import Endpoint, Secrets
from bolicho.agents.llm.exchanges import Exchange, Exchanges, key_of
from bolicho.agents.llm.prompt import LANGUAGE, Prompter, Prompting, Talk
from bolicho.agents.llm.reading import read_answer
from bolicho.agents.player import luck_of
from bolicho.agents.remote.parallel import Decided, SeatedInParallel
from bolicho.agents.seated import NO_ACTION, ExternalAgent, SeatedAgent
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.rulebook import rules_file
from bolicho.games.tables import Tables
from bolicho.i18n import Message, plain, sections

RUN_BUDGET = "BOLICHO_LLM_BUDGET"
"""Environment variable: the money after which a run stops; it can be resumed with more."""

FALLBACKS = ("forfeit", "random")
PER = 1_000_000  # tokens of a price


@dataclass(frozen=True)
class Sampling:
    """Options of requests, besides the model and the messages."""

    temperature: float = 1.0
    most_tokens: int = 1024  # of an answer
    effort: str = ""  # sent as `reasoning_effort`, where not empty
    token_field: str = "max_tokens"  # some endpoints call it `max_completion_tokens`
    leave_out: str = ""  # fields that an endpoint does not accept: "seed temperature"

    def body(self, model: str, talk: Talk, luck: int) -> dict[str, Any]:
        """Return a request; the seed follows from the luck, so that a deterministic endpoint answers the same."""
        made: dict[str, Any] = {
            "model": model,
            "messages": talk,
            "temperature": self.temperature,
            self.token_field: self.most_tokens,
            "seed": luck >> 33,  # 31 bits: some endpoints read a signed integer of 32
        }
        if self.effort:
            made["reasoning_effort"] = self.effort
        return {name: value for name, value in made.items() if name not in self.leave_out.split()}


@dataclass(frozen=True)
class Budget:
    """Options on time, retries and money; 0 means no limit of tokens or money."""

    seconds: float = 60.0  # for an answer
    retries: int = 5  # of a request that the endpoint could not serve
    backoff: float = 1.0  # seconds before the first retry, doubled each time
    at_once: int = 8  # parallel requests
    tokens: int = 0  # in a game
    money: float = 0.0  # in a game
    input_price: float = 0.0  # per million tokens
    output_price: float = 0.0  # per million tokens
    fallback: str = "forfeit"  # or "random": after an answer that does not count, or a spent budget

    def cost(self, tokens: tuple[int, int]) -> float:
        """Return the cost of tokens in a request and in its answer."""
        return (tokens[0] * self.input_price + tokens[1] * self.output_price) / PER


@dataclass
class Account:
    """Tokens and money that a seat has spent in a game."""

    tokens: int = 0
    money: float = 0.0

    def add(self, exchange: Exchange) -> None:
        """Count an exchange, also one that was kept from an earlier run."""
        self.tokens += sum(exchange.tokens)
        self.money += exchange.cost

    def spent(self, budget: Budget) -> str:
        """Return why nothing more may be asked in this game, or an empty text."""
        if 0 < budget.tokens <= self.tokens:
            return f"has spent its {budget.tokens} tokens of this game"
        if 0 < budget.money <= self.money:
            return f"has spent its {budget.money:g} of this game"
        return ""


PROMPTING, SAMPLING, BUDGET = Prompting(), Sampling(), Budget()


class Llm(Agent, ExternalAgent):
    """Agent that asks a language model through a chat-completions endpoint.

    `url` and `key` are names of environment variables.
    """

    def __init__(
        self,
        model: str = "",
        url: str = "BOLICHO_LLM_URL",
        key: str = "BOLICHO_LLM_KEY",
        prompting: Prompting = PROMPTING,
        sampling: Sampling = SAMPLING,
        budget: Budget = BUDGET,
    ) -> None:
        for option, name in (("url", url), ("key", key)):
            if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", name):
                raise BadInput(
                    f"{option} is the name of an environment variable, such as BOLICHO_LLM_{option.upper()}, so that "
                    "no record holds its value"
                )
        _check(sampling, budget)
        self.model = model
        self._secrets = Secrets(url, key)
        self._prompting = prompting
        self._sampling = sampling
        self._budget = budget
        self._folder: Path | None = None
        self._asker: Asker | None = None
        self._account = Account()
        self._said: tuple[str, str] | None = None

    def plays(self, game: Game) -> str | None:
        return None if self.model else "it needs a model: write llm(model=NAME)"

    def files(self, game: Game) -> Sequence[Path]:
        rules = rules_file(game)
        return *sections(LANGUAGE), *([] if rules is None else [rules])  # prompts are made of these texts

    def keep_in(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, game: Game, seat: int) -> None:
        self._account = Account()
        if self._asker is None:
            self._asker = self._ask_about(game, math.inf)

    def act(self, view: View, rng: np.random.Generator) -> int:
        if self._asker is None:
            self._asker = self._ask_about(view.game, math.inf)
        decided = self._asker.decide(view, int(luck_of(rng)), self._account)
        self._said = None
        if decided.why is not None:
            raise BadInput(f"the model {decided.why}")
        self._said = str(view.game.action(view.state, decided.number)), self._asker.content
        return decided.number

    def explain(self) -> Explanation | None:
        if self._said is None:
            return None
        action, content = self._said
        lines = [plain(line) for line in content.splitlines()[:LINES]]
        return Explanation(Message("agents.llm.said", model=self.model), {"action": action}, lines)

    def sit(self, tables: Tables, is_open: bool, limit: float) -> SeatedAgent:
        """Return what answers for this agent at many tables (see `seated.ExternalAgent`); it gets hidden views only."""
        asker, accounts = self._ask_about(tables.game, limit), dict[tuple[int, int], Account]()

        def decide(view: View, table: int, luck: int) -> Decided:
            return asker.decide(view, luck, accounts[table, view.seat])

        def begin(table: int, seat: int) -> None:
            accounts[table, seat] = Account()

        return SeatedInParallel(tables, decide, self._budget.at_once, begin)

    def _ask_about(self, game: Game, limit: float) -> "Asker":
        if not self.model:
            raise BadInput("llm needs a model: write llm(model=NAME)")
        budget = replace(self._budget, seconds=min(self._budget.seconds, limit))
        exchanges = Exchanges.beside(self._folder)
        return Asker(self.model, self._secrets, Prompter(game, self._prompting), self._sampling, budget, exchanges)


LINES = 20  # of an answer that an explanation shows


def _check(sampling: Sampling, budget: Budget) -> None:
    if budget.fallback not in FALLBACKS:
        raise BadInput(f"fallback must be one of {', '.join(FALLBACKS)}, not {budget.fallback!r}")
    if not 0 < budget.seconds < math.inf:
        raise BadInput(f"seconds must be more than 0 and finite, not {budget.seconds}")
    limits = {"at_once": (1, 256), "retries": (0, 100), "backoff": (0, 60)}
    for name, (least, most) in limits.items():
        if not least <= getattr(budget, name) <= most:
            raise BadInput(f"{name} must be {least} to {most}, not {getattr(budget, name)}")
    for name in ("tokens", "money", "input_price", "output_price"):
        if not 0 <= getattr(budget, name) < math.inf:
            raise BadInput(f"{name} must be 0 or more and finite, not {getattr(budget, name)}")
    if sampling.most_tokens < 1:
        raise BadInput(f"most_tokens must be 1 or more, not {sampling.most_tokens}")
    if not 0 <= sampling.temperature <= 2:
        raise BadInput(f"temperature must be 0 to 2, not {sampling.temperature}")
    if not re.fullmatch(r"[a-z_]+", sampling.token_field):
        raise BadInput(f"token_field must be the name of a field such as max_tokens, not {sampling.token_field!r}")


@dataclass
class Asker:
    """Decisions of a model: from kept exchanges, or by asking its endpoint."""

    model: str
    secrets: Secrets
    prompter: Prompter
    sampling: Sampling
    budget: Budget
    exchanges: Exchanges
    content: str = ""  # of the last answer; for an agent that decides alone
    _endpoint: Endpoint | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def decide(self, view: View, luck: int, account: Account) -> Decided:
        """Return the decision in a position; raise `BadInput` where the endpoint cannot be used."""
        if why := account.spent(self.budget):
            return self._fail(view, luck, why, 0.0)
        talk, names, seconds, why = self.prompter.talk(view), self.prompter.names(view), 0.0, ""
        for repair in (False, True):
            one = self._exchange(talk, luck, repair, names)
            account.add(one)
            seconds += one.seconds
            self.content = one.content
            number, wrong = read_answer(one.content, names, self.prompter.reasoning)
            if number is not None and not one.failed:
                return Decided(number, None, seconds)
            why = one.failed or wrong
            if one.failed or account.spent(self.budget):
                break
            said = {"role": "assistant", "content": one.content or "(no answer)"}
            talk = [*talk, said, {"role": "user", "content": self.prompter.repair(view, wrong)}]
        return self._fail(view, luck, why, seconds)

    def _fail(self, view: View, luck: int, why: str, seconds: float) -> Decided:
        if self.budget.fallback == "random":
            return Decided(view.numbers[luck % len(view.numbers)], None, seconds)
        return Decided(NO_ACTION, why, seconds)

    def _exchange(self, talk: Talk, luck: int, repair: bool, names: Mapping[str, int]) -> Exchange:
        """Return a kept exchange; otherwise ask, and keep the request with its answer."""
        request, drawn = self.sampling.body(self.model, talk, luck), f"{luck:016x}"
        found = self.exchanges.find(key_of(request, drawn))
        if found is not None:
            return found
        self._check_run_budget()
        got = self._connected().ask(request, self.budget.seconds)
        wrong = "" if got.failed else read_answer(got.content, names, self.prompter.reasoning)[1]
        made = Exchange(request, drawn, repair, wrong=wrong, cost=self.budget.cost(got.tokens), **vars(got))
        self.exchanges.keep(made)
        return made

    def _connected(self) -> Endpoint:
        """Return the endpoint, connected at the first request: kept exchanges need neither address nor key."""
        with self._lock:
            if self._endpoint is None:
                budget = self.budget
                self._endpoint = Endpoint(self.secrets, budget.at_once, budget.retries, budget.backoff)
            return self._endpoint

    def _check_run_budget(self) -> None:
        given = os.environ.get(RUN_BUDGET, "")
        try:
            most = float(given or "inf")
        except ValueError:
            raise BadInput(f"the environment variable {RUN_BUDGET} must be an amount of money, not {given!r}") from None
        if (spent := self.exchanges.spent()) >= most:
            raise BadInput(
                f"the run has spent {spent:g} of {RUN_BUDGET}={given}; raise it, and the same command resumes the run"
            )
