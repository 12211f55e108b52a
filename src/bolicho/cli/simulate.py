"""The command `bolicho simulate`: the web server under simulated faults."""

from collections import Counter
from typing import Annotated

import typer

from bolicho.cli.shell import Json, answer, check_seed, keep_stdout, print_line


def simulate(
    seeds: Annotated[int, typer.Option(help="Number of seeds, run one after the other.")] = 100,
    first: Annotated[int, typer.Option(help="The first seed.")] = 0,
    steps: Annotated[int | None, typer.Option(help="Steps of each seed with faults.  [default: 1500]")] = None,
    seed: Annotated[int | None, typer.Option(help="Replay only this seed, and print all events.")] = None,
    json: Json = False,
) -> None:
    """Run the web server with seeded faults, and check its promises: `bolicho simulate --seeds 500`.

    Processes are killed, disks fill up, clocks jump, and messages are lost, late or sent twice.  A seed that fails is
    printed with the command that replays it, step by step; the exit code is 1 then.
    """
    keep_stdout()

    from bolicho.errors import BadInput
    from bolicho.progress import tracked
    from bolicho.web.simulation.run import STEPS, SeedResult
    from bolicho.web.simulation.run import simulate as run
    from bolicho.web.simulation.run import simulate_many as run_many

    if seeds < 1 or (steps is not None and steps < 0):
        raise BadInput(f"there are at least 1 seed and 0 steps, not {seeds} and {steps}")
    check_seed(first)
    length = STEPS if steps is None else steps
    if check_seed(seed) is not None:
        outcomes = [run(seed or 0, length, None if json else print_line)]
    else:
        outcomes = list(tracked(run_many(range(first, first + seeds), length), "seeds", seeds))
    failed: list[SeedResult] = [outcome for outcome in outcomes if outcome.failure is not None]
    faults: Counter[str] = sum([outcome.faults for outcome in outcomes], Counter())
    sums = {name: sum(getattr(outcome, name) for outcome in outcomes) for name in ("steps", "moves", "messages")}
    told = [{"seed": outcome.seed, "failure": outcome.failure, "trace": outcome.trace} for outcome in failed]
    traces = {"trace": outcomes[0].trace} if seed is not None else {}
    facts = {"seeds": len(outcomes), **sums, **traces, "faults": dict(sorted(faults.items())), "failed": told}
    how = "" if steps is None else f" --steps {steps}"
    lines = [
        f"seed {outcome.seed}: {outcome.failure}\n    replay it with: bolicho simulate --seed {outcome.seed}{how}"
        for outcome in failed
    ]
    injected = ", ".join(f"{name} {count}" for name, count in sorted(faults.items()))
    lines.append(f"{len(outcomes)} seeds, {len(failed)} failed; {sums['moves']} moves and {sums['messages']} messages")
    lines.append(f"checked in {sums['steps']} steps; faults: {injected or 'none'}")
    answer(json, facts, [*lines, *(f"trace {trace}" for trace in traces.values())])
    if failed:
        raise typer.Exit(1)
