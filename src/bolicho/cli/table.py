"""Commands on single games: play, serve, replay, verify, ask."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bolicho.cli.shell import (
    Json,
    Language,
    RuleOptions,
    answer,
    check_seed,
    chosen_words,
    home_address,
    keep_stdout,
    out,
    path_argument,
    path_option,
    print_line,
    print_nothing,
    read_rules,
    table_of,
    warn,
)
from bolicho.errors import BadInput
from bolicho.files import read_text
from bolicho.i18n import catalogue

SCRIPTED = "bolicho.agents.rules"  # declares the scripted agents


def play(
    game: Annotated[str | None, typer.Argument(help="truco, ...")] = None,
    players: Annotated[
        list[str] | None,
        typer.Argument(
            help="An agent for each seat; `human` is you. Without agents you play against a scripted one.",
            metavar="AGENT...",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the deal; by default a new one every time.")] = None,
    rule: RuleOptions = None,
    explain: Annotated[
        bool, typer.Option(help="Explain every decision of the agents; when you play, after the hand.")
    ] = False,
    record: Annotated[Path | None, path_option(help="Write the game's record to this file.")] = None,
    resume: Annotated[Path | None, path_option(help="Resume the game of this record; without GAME.")] = None,
    web: Annotated[bool, typer.Option("--web", help="Play in the browser instead.")] = False,
    language: Language = None,
    json: Json = False,
) -> None:
    """Play one game in the terminal, or in the browser: `bolicho play truco human balanced`."""
    keep_stdout()
    if game is not None and not players:
        players = person_and_scripted(game, read_rules(rule))
    from bolicho.arena import terminal

    if web:
        if game is None or resume or record or explain or json or seed is not None:
            raise BadInput("--web goes with a game, its agents and --rule alone; the browser has the rest")
        play_in_browser(game, players or [], read_rules(rule))
        return

    spoken = chosen_words(language)
    if resume is not None:
        if game or players or rule or seed is not None:
            raise BadInput("a resumed game is defined by its record: give --resume FILE without game, rules or seed")
        sitting = terminal.resume(resume, record)
    elif game is None:
        raise BadInput("name a game, and optionally an agent for each seat: bolicho play truco human balanced")
    else:
        sitting = terminal.sit(game, players or [], read_rules(rule), seed, record)
    played, reasons = terminal.play_sitting(sitting, explain, print_nothing if json else print_line, spoken)
    facts = terminal.result(sitting, played, reasons) if json else None
    answer(json, facts, () if played is None else terminal.ending(sitting, played, spoken))


def person_and_scripted(name: str, rules: dict[str, Any]) -> list[str]:
    """Return a person at the first seat, and the game's scripted agent (else a random one) at the others."""
    from bolicho.agents.registry import built_in_entries
    from bolicho.games import game as make_game

    scripted = [
        entry.name for entry in built_in_entries() if entry.declared == SCRIPTED and name in (entry.games or ())
    ]
    return ["human"] + [scripted[-1] if scripted else "random"] * (make_game(name, **rules).seats - 1)


def play_in_browser(game: str, players: list[str], rules: dict[str, Any]) -> None:
    """Start a server with one table, and open the table in the browser."""
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
    """Return the module `bolicho.web.serve`; raise `BadInput` if the extra `web` is not installed."""
    try:
        from bolicho.web import serve
    except ImportError as problem:
        raise BadInput(f"the table in the browser needs an extra: pip install 'bolicho[web]' ({problem})") from None
    return serve


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen at; 0.0.0.0 admits others of your network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8000,
    database: Annotated[
        str,
        typer.Option(
            help="A file, or postgresql://user@host/name for several processes.", parser=home_address, metavar="TEXT"
        ),
    ] = "runs/matches.db",
    processes: Annotated[int, typer.Option(help="Server processes; more than one needs PostgreSQL.", min=1)] = 1,
    workers: Annotated[int, typer.Option(help="Worker processes of each server process, for slow agents.", min=1)] = 1,
    thinkers: Annotated[int | None, typer.Option(help="Deprecated name of --workers.", min=1, hidden=True)] = None,
    sync: Annotated[
        str, typer.Option(help="full: no loss in a power cut; normal: faster, the last moves may be lost.")
    ] = "full",
    game: Annotated[
        list[str] | None,
        typer.Option(help="Only these games, by name or as module:KIND; by default all with a name."),
    ] = None,
    runs: Annotated[Path, path_option(help="Folder of the tournaments of the arena, old and new.")] = Path("runs"),
    reports: Annotated[Path, path_option(help="Folder of the lab reports in the arena.")] = Path("reports"),
    trained: Annotated[Path, path_option(help="Folder of the case bases trained in the arena.")] = Path("trained"),
    show_runs: Annotated[
        bool,
        typer.Option("--show-runs", help="Show them to all visitors; by default only to researchers (bolicho token)."),
    ] = False,
) -> None:
    """Start the server for playing, watching and explanations.  Ctrl-C stops it; matches continue at the next start."""
    keep_stdout()
    from bolicho.games import kind

    if thinkers is not None:
        warn("--thinkers is deprecated; write --workers")
        workers = thinkers
    web = web_parts()
    for name in game or ():
        kind(name)  # raises `BadInput` for an unknown game
        if len(name) > web.LONGEST_NAME:
            raise BadInput(f"the game {name} cannot be served: its address is longer than {web.LONGEST_NAME} letters")
    if sync not in ("full", "normal"):
        raise BadInput(f"--sync is full or normal, not {sync!r}")
    sock, address = web.listen(host, port)

    def ready() -> None:
        out.print(f"Bolicho is open at [bold]{address}[/]", soft_wrap=True)

    arena = {"runs": str(runs), "reports": str(reports), "trained": str(trained), "show_runs": show_runs}
    web.serve(web.Settings(database, sync, tuple(game or ()), (), workers, **arena), sock, ready, processes)


def verify(
    file: Annotated[Path, path_argument(help="The whole record of a match, as the table offers it after the end.")],
    seen: Annotated[list[Path] | None, path_argument(help="Records of seats that were kept during the match.")] = None,
    json: Json = False,
) -> None:
    """Check that a match was dealt fairly: commitments, seed, actions, cards and result; list the unchecked parts."""
    from bolicho.strict import read_json
    from bolicho.web.fair_deals import check_record, check_shown, unchecked

    try:
        record, *parts = [read_json(read_text(path)) for path in (file, *(seen or ()))]
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"cannot read the record: {problem}") from None
    if not all(isinstance(part, dict) for part in (record, *parts)):
        raise BadInput("a record is a JSON object")
    lines = check_record(record) + [check_shown(record, part) for part in parts]
    facts = {"fair": True, "checked": lines, "not_checked": unchecked(record)}
    answer(json, facts, [*lines, *(f"not checked: {line}" for line in unchecked(record))])


def replay(
    file: Annotated[Path, path_argument(help="A record, many as JSON lines, or a tournament's folder with --row.")],
    row: Annotated[int | None, typer.Option(help="FILE is a tournament's folder: this game of it.")] = None,
    record_only: Annotated[
        bool, typer.Option("--record", help="Print only the record, one JSON line per game.")
    ] = False,
    language: Language = None,
    json: Json = False,
) -> None:
    """Replay a record and print its last position; records of the server are checked as by `verify`."""
    from bolicho.arena.terminal import records_of, standing, tell_record
    from bolicho.games.record import write_record

    if record_only and json:
        raise BadInput("--record prints a record, --json its last position; give one of them")
    spoken = chosen_words(language)
    for number, record in enumerate(records_of(file, row), 1):
        try:
            table = table_of(record)
        except BadInput as problem:
            raise BadInput(f"{file}, record {number}: {problem}") from None
        if record_only:
            print(write_record(table.record()))
            continue
        if not json:
            tell_record(table, print_line, spoken)
        answer(json, table.result(), standing(table, spoken))


def ask(
    file: Annotated[
        Path, path_argument(help="A record that ends before a decision, or a tournament's folder with --row.")
    ],
    player: Annotated[
        str | None,
        typer.Argument(help="The agent to ask; with --row by default the one that had to act.", metavar="AGENT"),
    ] = None,
    row: Annotated[int | None, typer.Option(help="FILE is a tournament's folder: this game of it.")] = None,
    ply: Annotated[
        int | None, typer.Option(help="Before this action, from 0; by default at the end of the record.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the agent's luck; with --row the original luck.  [default: 0]", callback=check_seed),
    ] = None,
    language: Language = None,
    json: Json = False,
) -> None:
    """Ask an agent for its decision in a position, with reasons: `bolicho ask position.json balanced`."""
    keep_stdout()
    from bolicho.arena.inspect import positions
    from bolicho.arena.terminal import advised

    spoken = chosen_words(language)
    for asked in positions(file, player, row, ply, seed, table_of):
        table = asked.table
        action, why = asked.ask()
        sentence = catalogue("en").say(why.sentence) if why else None
        told = {"seat": table.turn, "action": action, "why": sentence, "facts": why.facts if why else {}}
        if asked.chosen is not None:
            told |= {"agent": asked.player, "chosen": asked.chosen}
        answer(json, told, advised(table, asked.player, action, why, spoken, asked.chosen))
