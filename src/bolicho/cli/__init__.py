"""The command line.  Everything here calls the library; nothing is decided here.

`--json` prints one JSON object on stdout and nothing else there; progress and notices go to
stderr.  Bad input exits with code 2 and one sentence.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.table import Table as RichTable

from bolicho.cli.analyse import analyse
from bolicho.cli.exploit import exploit
from bolicho.cli.match import match
from bolicho.cli.records import records
from bolicho.cli.shell import (
    Jobs,
    Json,
    Language,
    MoveLimit,
    RuleOptions,
    Trust,
    check_seed,
    chosen_words,
    home_address,
    keep_stdout,
    notices,
    out,
    path_argument,
    path_option,
    print_json,
    print_line,
    print_nothing,
    read_rules,
    table_of,
)
from bolicho.cli.simulate import simulate
from bolicho.cli.study import study as people
from bolicho.cli.token import token
from bolicho.cli.upgrade import upgrade
from bolicho.errors import BadInput, one_line
from bolicho.files import read_text
from bolicho.words import words

if TYPE_CHECKING:
    from bolicho.arena.experiment import Experiment

app = typer.Typer(
    name="bolicho",
    help="A lab for agents that play partial-information table games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from bolicho import __version__

        out.print(f"bolicho {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Options that need no command."""


def main() -> None:
    """Run the command line; one sentence and exit code 2 for whatever the user can fix."""
    look_here_last()
    try:
        code = app(standalone_mode=False)  # a command that is interrupted returns its exit code
        sys.stdout.flush()
    except BadInput as problem:
        refuse(str(problem))
    except OSError as problem:
        let_go_of_stdout()
        if isinstance(problem, BrokenPipeError):  # who read the output has gone
            sys.exit(141)
        refuse(f"cannot go on with {str(problem.filename or 'what is written')!r}: {problem.strerror or problem}")
    except KeyboardInterrupt:
        notices.print("bolicho: stopped")
        sys.exit(130)
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
    except Exception as problem:
        show = getattr(problem, "show", None)  # how the command-line library reports bad usage
        if type(problem).__name__ == "IOException":  # how the database says that a disk is full
            refuse(str(problem))
        if show is None:
            raise
        show()
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def refuse(sentence: str) -> NoReturn:
    """Say what was wrong, and leave with exit code 2."""
    notices.print(f"bolicho: {one_line(sentence)}", markup=False, soft_wrap=True)
    sys.exit(2)


def let_go_of_stdout() -> None:
    """Where the output cannot be written, do not try again at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = None


def look_here_last() -> None:
    """Let agents of one's own (module:Class) be found in the current folder, after everything that is installed.

    A file `random.py` there takes nobody's place, neither here nor in worker processes, which Python
    would otherwise start with that folder first.
    """
    sys.path.append("")
    os.environ["PYTHONSAFEPATH"] = "1"


@app.command()
def games(json: Json = False) -> None:
    """The games there are, with the rules that may vary."""
    import dataclasses

    from bolicho.games import game_names, kind

    kinds = [kind(name) for name in game_names()]
    facts = [
        {"name": k.name, "title": k.title, "seats": k.seats(k.rules()), "rules": dataclasses.asdict(k.rules())}
        for k in kinds
    ]
    if json:
        print_json({"games": facts})
        return
    for fact in facts:
        out.print(f"[bold]{fact['name']}[/]  {fact['title']}")
        rules = "  ".join(f"{name}={value}" for name, value in fact["rules"].items())  # type: ignore[attr-defined]
        out.print(f"    rules: {rules}", style="dim")


@app.command()
def agents(
    game: Annotated[str | None, typer.Argument(help="Only those that play this game.")] = None, json: Json = False
) -> None:
    """The agents there are, what they do and the options they take."""
    keep_stdout()
    from bolicho.agents.agent import entries
    from bolicho.arena.terminal import agents_listed
    from bolicho.games import kind

    if game is not None:
        kind(game)  # an unknown game is said to be unknown
    found = [e for e in entries() if game is None or e.broken or e.plays(game)]
    if json:
        facts = ("name", "about", "games", "options", "oracle")
        print_json({"agents": [{fact: getattr(e, fact) for fact in facts} for e in found]})
        return
    out.print(agents_listed(found, out.width))


@app.command()
def play(
    game: Annotated[str | None, typer.Argument(help="truco, ...")] = None,
    players: Annotated[
        list[str] | None, typer.Argument(help="An agent a seat; `human` is you.", metavar="AGENT...")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Fixes the deal; by default a new one every time.")] = None,
    rule: RuleOptions = None,
    explain: Annotated[
        bool, typer.Option(help="Let every agent say why it does what it does; when you play, after the hand.")
    ] = False,
    record: Annotated[Path | None, path_option(help="Write the game's record there.")] = None,
    resume: Annotated[Path | None, path_option(help="Go on with the game of this record, without GAME.")] = None,
    web: Annotated[bool, typer.Option("--web", help="Play that table in the browser instead.")] = False,
    language: Language = None,
    json: Json = False,
) -> None:
    """Play one game in the terminal, or in the browser: `bolicho play truco human balanced`."""
    keep_stdout()
    from bolicho.arena import terminal

    if web:
        if game is None or resume or record or explain or json or seed is not None:
            raise BadInput("--web goes with a game, its agents and --rule alone; the browser has the rest")
        play_in_browser(game, players or [], read_rules(rule))
        return

    spoken = chosen_words(language)
    if resume is not None:
        if game or players or rule or seed is not None:
            raise BadInput("a resumed game goes on as its record says: give --resume FILE without game, rules or seed")
        sitting = terminal.resume(resume, record)
    elif game is None:
        raise BadInput("name a game and an agent a seat, as in: bolicho play truco human balanced")
    else:
        sitting = terminal.sit(game, players or [], read_rules(rule), seed, record)
    played, reasons = terminal.play_sitting(sitting, explain, print_nothing if json else print_line, spoken)
    if json:
        print_json(terminal.result(sitting, played, reasons))
    elif played is not None:
        for line in terminal.ending(sitting, played, spoken):
            print_line(line)


def play_in_browser(game: str, players: list[str], rules: dict[str, Any]) -> None:
    """Serve one table here, and open it."""
    import tempfile
    import webbrowser

    from bolicho.games import game as make_game

    web = web_parts()
    seats = make_game(game, **rules).seats
    if len(players) != seats:
        raise BadInput(f"{game} has {seats} seats, and {len(players)} agents were named")
    links: list[str] = []
    sock, address = web.listen("127.0.0.1", 0)

    def ready() -> None:
        out.print("the table is open; Ctrl-C closes it")
        for link in links:
            out.print(f"{address}{link}", soft_wrap=True)
        webbrowser.open(f"{address}{links[0]}")

    with tempfile.TemporaryDirectory() as folder:
        also = tuple({spec for spec in players if spec != "human"})
        settings = web.Settings(
            f"{folder}/matches.db", games=(game,), also=also, runs=folder, reports=folder, trained=folder
        )
        web.serve(settings, sock, ready, begin=web.one_table(game, rules, players, links))


def web_parts() -> Any:
    """What serves the table, if it is installed."""
    try:
        from bolicho.web import serve
    except ImportError as problem:
        raise BadInput(f"the table in the browser needs more: pip install 'bolicho[web]' ({problem})") from None
    return serve


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 lets others of your network in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8000,
    database: Annotated[
        str,
        typer.Option(
            help="A file, or postgresql://user@host/name for several processes.", parser=home_address, metavar="TEXT"
        ),
    ] = "runs/matches.db",
    processes: Annotated[int, typer.Option(help="Server processes; more than one needs PostgreSQL.", min=1)] = 1,
    thinkers: Annotated[int, typer.Option(help="Processes a server process keeps for slow agents.", min=1)] = 1,
    sync: Annotated[
        str, typer.Option(help="full: a power cut costs nothing; normal: perhaps the last moves, and is faster.")
    ] = "full",
    game: Annotated[list[str] | None, typer.Option(help="Only these games; by default all.")] = None,
    runs: Annotated[
        Path, path_option(help="The tournaments that the arena shows, and where it plays new ones.")
    ] = Path("runs"),
    reports: Annotated[Path, path_option(help="The reports of the lab that the arena shows.")] = Path("reports"),
    trained: Annotated[Path, path_option(help="The case bases that the arena trains.")] = Path("trained"),
    show_runs: Annotated[
        bool, typer.Option("--show-runs", help="Let everybody look at them; without, only researchers (bolicho token).")
    ] = False,
) -> None:
    """Open the table in the browser: play, watch, ask why.  Ctrl-C closes it; matches go on when it opens again."""
    keep_stdout()
    from bolicho.games import kind

    web = web_parts()
    for name in game or ():
        kind(name)  # an unknown game is said to be unknown
    if sync not in ("full", "normal"):
        raise BadInput(f"--sync is full or normal, not {sync!r}")
    sock, address = web.listen(host, port)

    def ready() -> None:
        out.print(f"Bolicho is open at [bold]{address}[/]", soft_wrap=True)

    arena = {"runs": str(runs), "reports": str(reports), "trained": str(trained), "show_runs": show_runs}
    web.serve(web.Settings(database, sync, tuple(game or ()), (), thinkers, **arena), sock, ready, processes)


@app.command()
def verify(
    file: Annotated[Path, path_argument(help="The whole record of a match, as the table gives it after the end.")],
    seen: Annotated[list[Path] | None, path_argument(help="Records of seats that were kept during the match.")] = None,
    json: Json = False,
) -> None:
    """Check that a match was dealt fairly: commitments, seed, actions, cards and result; say what is not checked."""
    from bolicho.strict import read_json
    from bolicho.web.fair import check_record, check_shown, unchecked

    try:
        record, *parts = [read_json(read_text(path)) for path in (file, *(seen or ()))]
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"cannot read the record: {problem}") from None
    if not all(isinstance(part, dict) for part in (record, *parts)):
        raise BadInput("a record is a JSON object")
    lines = check_record(record) + [check_shown(record, part) for part in parts]
    if json:
        print_json({"fair": True, "checked": lines, "not_checked": unchecked(record)})
    else:
        for line in [*lines, *(f"not checked: {line}" for line in unchecked(record))]:
            print_line(line)


@app.command()
def replay(
    file: Annotated[Path, path_argument(help="A record, many as JSON lines, or a tournament's folder with --row.")],
    row: Annotated[int | None, typer.Option(help="FILE is a tournament's folder: this game of it.")] = None,
    record_only: Annotated[
        bool, typer.Option("--record", help="Print the record alone, a line of JSON a game: to keep, to send, to ask.")
    ] = False,
    language: Language = None,
    json: Json = False,
) -> None:
    """Play a record again and say where it stands; one of the table in the browser is checked as by `verify`."""
    from bolicho.arena.terminal import records_of, standing, tell_record
    from bolicho.games.record import write_record

    if record_only and json:
        raise BadInput("--record prints a record and --json where it stands; give one of them")
    spoken = chosen_words(language)
    for number, record in enumerate(records_of(file, row), 1):
        try:
            table = table_of(record)
        except BadInput as problem:
            raise BadInput(f"{file}, record {number}: {problem}") from None
        if record_only:
            print(write_record(table.record()))
            continue
        if json:
            print_json(table.result())
            continue
        tell_record(table, print_line, spoken)
        for line in standing(table, spoken):
            print_line(line)


@app.command()
def ask(
    file: Annotated[
        Path, path_argument(help="A record that stops where somebody must act, or a tournament's folder with --row.")
    ],
    player: Annotated[
        str | None, typer.Argument(help="The agent to ask; with --row by default who had to act.", metavar="AGENT")
    ] = None,
    row: Annotated[int | None, typer.Option(help="FILE is a tournament's folder: this game of it.")] = None,
    ply: Annotated[
        int | None, typer.Option(help="Before this action, from 0; by default where the record ends.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Fixes the agent's own chance; with --row it has what it had.  [default: 0]", callback=check_seed
        ),
    ] = None,
    language: Language = None,
    json: Json = False,
) -> None:
    """Ask an agent what it would do in a position, and why: `bolicho ask position.json balanced`."""
    keep_stdout()
    from bolicho.arena.asking import positions
    from bolicho.arena.terminal import advised

    spoken = chosen_words(language)
    for asked in positions(file, player, row, ply, seed, table_of):
        table = asked.table
        action, why = asked.ask()
        facts = why.facts if why else {}
        if json:
            sentence = words("en").say(why.sentence) if why else None
            told = {"seat": table.turn, "action": action, "why": sentence, "facts": facts}
            print_json(told if asked.chosen is None else {**told, "agent": asked.player, "chosen": asked.chosen})
            continue
        for line in advised(table, asked.player, action, why, spoken, asked.chosen):
            print_line(line)


@app.command()
def tournament(
    game: Annotated[str | None, typer.Argument(help="truco, ...")] = None,
    players: Annotated[list[str] | None, typer.Argument(help="Two agents or more.", metavar="AGENT...")] = None,
    duplicates: Annotated[
        int | None, typer.Option(help="Deals a pairing; each is played from every seat.  [default: 100]")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Fixes every deal and every choice.  [default: 1, or drawn where an agent of yours plays]"),
    ] = None,
    jobs: Jobs = None,
    folder: Annotated[Path | None, path_option("--out", help="Where results go; an unfinished run goes on.")] = None,
    config: Annotated[
        Path | None,
        path_option(help="A TOML file that says what is played; then say nothing of that here."),
    ] = None,
    rule: RuleOptions = None,
    move_limit: MoveLimit = None,
    trust: Trust = False,
    shard: Annotated[
        str | None, typer.Option(help="Play only share K of N (written K/N) into a folder that all share.")
    ] = None,
    cluster: Annotated[str | None, typer.Option(help="Let the workers of this Dask scheduler play.")] = None,
    json: Json = False,
) -> None:
    """Let agents meet: duplicate deals, all against all, 95% intervals, an HTML report.

    Without GAME the run in the folder of `--out` is finished, or extended to `--duplicates` deals a pairing.
    """
    keep_stdout()
    from bolicho.arena.experiment import Experiment
    from bolicho.arena.report import show
    from bolicho.arena.run import run, run_shard

    given: dict[str, Any] = {
        "game": game,
        "agents": players or None,
        "duplicates": duplicates,
        "seed": seed,
        "rules": read_rules(rule) or None,
        "move_limit": move_limit,
        "trust": trust or None,
    }
    given = {name: value for name, value in given.items() if value is not None}  # the rest has Experiment's defaults
    if config is not None:
        if given:
            raise BadInput(f"--config says what is played, so leave out {', '.join(given)} or write it into {config}")
        experiment = Experiment.read(config)
    elif game is None:
        experiment = experiment_of(folder, given)
    else:
        experiment = Experiment(**{"agents": (), **given})
    if len(experiment.agents) < 2:
        raise BadInput(f"a tournament needs two agents or more; {', '.join(experiment.agents)} has nobody to meet")
    folder = folder or Path("runs") / f"{experiment.game}-{experiment.hash}"
    if cluster is not None and (shard is not None or jobs is not None):
        raise BadInput("--cluster plays on workers that are elsewhere: leave out --shard and --jobs")
    finished = (
        run(experiment, folder, jobs, cluster=cluster)
        if shard is None
        else run_shard(experiment, folder, *read_shard(shard), jobs)
    )
    if finished is None:
        said = f"share {shard} is in {str(folder)!r}; who ends last puts all together, or the command without --shard"
        print_json({"shard": shard, "out": str(folder)}) if json else print_line(said)
    elif json:
        print_json(finished.result)
    else:
        show(finished, out)


def experiment_of(folder: Path | None, given: dict[str, Any]) -> "Experiment":
    """Return the experiment of a run's folder, with another number of deals if one is given."""
    from bolicho.arena.rows import begun_in

    if folder is None:
        raise BadInput("name a game and its agents, or give a file: bolicho tournament --config FILE.toml")
    begun = begun_in(folder)
    if begun is None:
        raise BadInput(f"{str(folder)!r} holds no run to extend; name a game and its agents to begin one there")
    if others := [name for name in given if name != "duplicates"]:
        raise BadInput(f"the run in {str(folder)!r} says what is played, so leave out {', '.join(others)}")
    return replace(begun, **given)


def read_shard(text: str) -> tuple[int, int]:
    """`3/8` as two numbers."""
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal() and len(text) < 20):
        raise BadInput(f"a shard is written K/N, as in 3/8, not {text!r}")
    return int(number), int(count)


@app.command()
def bench(
    names: Annotated[list[str] | None, typer.Argument(help="truco, ...; all by default.", metavar="NAME...")] = None,
    json: Json = False,
) -> None:
    """Measure speed, as ratios to peers in the same run (extra `bench`)."""
    from bolicho import bench as benches

    results = benches.run(names, say=lambda name: notices.print(f"measuring {name} ..."))
    if json:
        print_json(benches.as_json(results))
        return
    for name, figures in results.items():
        table = RichTable(title=f"{name} ({benches.machine()})", title_justify="left", box=None)
        for heading in ("figure", "measured", "", "wanted"):
            table.add_column(heading, justify="right" if heading in ("measured", "wanted") else "left")
        for figure in figures:
            wanted = ""
            if figure.wanted is not None:
                colour = "green" if figure.reached else "red"
                wanted = f"[{colour}]{'≥' if figure.at_least else '≤'} {figure.wanted:g}[/]"
            table.add_row(figure.name, f"{figure.value:,.4g}", figure.unit, wanted)
        out.print(table)


lab = typer.Typer(help="The studies: published tables and figures made again, ours beside them.", no_args_is_help=True)
app.add_typer(lab, name="lab")
app.add_typer(token, name="token")
app.command()(exploit)
app.command()(analyse)
app.command()(match)
app.command()(records)
app.command()(upgrade)
app.command()(simulate)
app.add_typer(people, name="study")


@lab.command("list")
def lab_list(json: Json = False) -> None:
    """The studies there are, and how the published tables and figures that they make again came out."""
    from dataclasses import asdict

    from bolicho.lab.published import ITEMS, of_study
    from bolicho.lab.study import STUDIES

    if json:
        print_json({"studies": [asdict(study) for study in STUDIES], "published": [asdict(item) for item in ITEMS]})
        return
    for study in STUDIES:
        out.print(f"[bold]{study.name}[/]  {study.title}  [dim]({study.source})[/]")
        for item in of_study(study.name):
            out.print(f"    {item.work}, {item.name}: {item.outcome}; {item.why}", style="dim")


@lab.command("run")
def lab_run(
    study: Annotated[str, typer.Argument(help="A name of `bolicho lab list`.")],
    full: Annotated[bool, typer.Option("--full/--quick", help="As published, or a small version in minutes.")] = False,
    seed: Annotated[int, typer.Option(help="Fixes every deal and every choice.", callback=check_seed)] = 1,
    jobs: Jobs = None,
    folder: Annotated[
        Path | None, path_option("--out", help="Where the report goes; an unfinished study goes on.")
    ] = None,
    records: Annotated[
        Path | None, path_option(help="The folder of `bolicho study export`, for a study of people (cbr-stage-4).")
    ] = None,
    scripted: Annotated[bool, typer.Option("--scripted", help="Show scripted participants too, and say so.")] = False,
    cluster: Annotated[
        str | None, typer.Option(help="Let the workers of this Dask scheduler play the study's tournaments.")
    ] = None,
    json: Json = False,
) -> None:
    """Run a study and write its report (HTML, PNG, SVG, CSV, JSON)."""
    from bolicho.lab.study import run_study

    page = run_study(
        study, full=full, seed=seed, jobs=jobs, out=folder, records=records, scripted=scripted, cluster=cluster
    )
    if json:
        print((page.parent / "findings.json").read_text(encoding="utf-8"), file=out.file)
    else:
        out.print(f"report: {page}")


@app.command()
def demo(
    folder: Annotated[Path, path_option("--out", help="Where results go.")] = Path("runs/demo"),
    duplicates: Annotated[int, typer.Option(help="Deals a pairing.")] = 50,
) -> None:
    """A small duplicate tournament of every game: tables here, plots in an HTML report."""
    from bolicho.arena.report import show
    from bolicho.lab.demo import run_demo

    page = run_demo(folder, duplicates, tell=lambda finished: show(finished, out))
    out.print(f"All of it: [bold]{page}[/]")


@app.command()
def warm(
    names: Annotated[list[str] | None, typer.Argument(help="truco, ...; all by default.", metavar="GAME...")] = None,
) -> None:
    """Compile now what games, tournaments and the agents of the house need, so that no first game waits for it."""
    keep_stdout()
    from bolicho.arena.warm import house_agents
    from bolicho.arena.warm import warm as warm_games
    from bolicho.games import BUILT_IN

    warm_games({name: house_agents(name) for name in names or BUILT_IN})


@app.command()
def train(
    artifact: Annotated[str | None, typer.Argument(help="What to train; without it, what there is.")] = None,
    options: Annotated[
        list[str] | None, typer.Argument(help="games=20000 and the like.", metavar="OPTION=VALUE")
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes everything.", callback=check_seed)] = 1,
    file: Annotated[Path | None, path_option("--out", help="Where it goes; unfinished training goes on.")] = None,
    json: Json = False,
) -> None:
    """Train an artifact: `bolicho train sarsa-dominoes games=20000 --seed 1`."""
    from bolicho.agents.training import ENDINGS, TRAININGS, options_of
    from bolicho.agents.training import train as train_artifact

    if artifact is None:
        rows = [{"name": name, "about": about, "options": options_of(name)} for name, (_, about) in TRAININGS.items()]
        if json:
            print_json({"trainings": rows})
            return
        for row in rows:
            written = " ".join(f"{name}={value}" for name, value in row["options"].items())  # type: ignore[attr-defined]
            out.print(f"[bold]{row['name']}[/]  {row['about']}  [dim]{written}[/]")
        return
    made = Path("artifacts") / (artifact + ENDINGS.get(artifact, ".safetensors")) if file is None else file
    facts = train_artifact(artifact, made, seed, read_rules(options))
    if json:
        print_json({"artifact": str(made), **facts})
        return
    for name, value in facts.items():
        out.print(f"{name}: {value}", markup=False)
    out.print(f"artifact: {made}")
