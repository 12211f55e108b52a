"""A thousand damaged specs of agents: each is refused in a sentence, or keeps its meaning when written again."""

import random

from bolicho import BadInput
from bolicho.agents.registry import agent, find
from bolicho.agents.spec import parse_spec, write_spec

from . import mutate

SPECS = [
    "random",
    "pimc(worlds=8, inner=exact)",
    "mcts(iterations=100, exploration=0.7, opponents=auto)",
    "pvcnps(base=learned, threshold=0.9)",
    "markov(learn=false, area=0.25, increment=fixed)",
    "tests.arena.players:Raises(after=3, kind='3')",
    "tests.arena.players:Raises(kind='a, b)', after=-1)",
    "alphabeta(depth=2, eval=playouts, nodes=None)",
    'x(a="[1, (2)]", b=[1, 2.5, True], c=f(g=1, h=[2]))',
]

VALUES = [
    "1",
    "-1",
    "0.5",
    "1e999",
    "true",
    "None",
    "'3'",
    '"a,b"',
    "a'b",
    "()",
    "[1, [2]]",
    "{1}",
    "{'a': 1}",
    "b'x'",
    "3j",
    "...",
    "9" * 5000,
    "0x" + "f" * 5000,
    "'\\u2028'",
    "'\\ud800'",
    "(" * 300 + ")" * 300,
    "[" * 300,
    "-" * 3000 + "1",
    "1_0",
    "é",
    "f(x=1)",
    " spaced out ",
]


def changed(spec, rng):
    """Return the spec with another value or changed bytes."""
    if rng.random() < 0.5:
        return mutate.bytes_of(spec.encode(), rng).decode(errors="replace")
    before, _, after = spec.partition("=")
    _, comma, rest = after.partition(", ")
    return f"{before}={rng.choice(VALUES)}{comma}{rest or ')'}"


def test_writing_an_accepted_spec_keeps_its_meaning():
    accepted = made = 0
    for number in range(1000):
        rng = random.Random(number)
        spec = changed(SPECS[number % len(SPECS)], rng)
        try:
            name, options = parse_spec(spec)
        except BadInput as problem:
            assert str(problem)
            continue
        written = write_spec(name, options)
        again = parse_spec(written)
        assert (again[0], repr(sorted(again[1].items()))) == (name, repr(sorted(options.items())))
        assert write_spec(*again) == written and written.isprintable()
        accepted += 1
        try:
            agent(spec)
        except BadInput:
            continue
        made += 1
        defaults = find(name).options
        for key, value in options.items():
            wanted = type(defaults[key])
            assert defaults[key] is None or type(value) in ((int, float) if wanted is float else (wanted,))
    assert 100 < accepted < 900 and made > 50, "too few or too many are accepted for a useful test"
