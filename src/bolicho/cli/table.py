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
)
from bolicho.errors import BadInput
from bolicho.files import read_text
from bolicho.i18n import catalogue


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
    facts = terminal.result(sitting, played, reasons) if json else None
    answer(json, facts, () if played is None else terminal.ending(sitting, played, spoken))


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
        raise BadInput(f"the table in the browser needs more: pip install 'bolicho[web]' ({problem})") from None
    return serve


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
    game: Annotated[
        list[str] | None,
        typer.Option(help="Only these games, by name or as module:KIND; by default all that have a name."),
    ] = None,
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
        kind(name)  # raises `BadInput` for an unknown game
        if len(name) > web.LONGEST_NAME:
            raise BadInput(f"the game {name} cannot be served: its address is longer than {web.LONGEST_NAME} letters")
    if sync not in ("full", "normal"):
        raise BadInput(f"--sync is full or normal, not {sync!r}")
    sock, address = web.listen(host, port)

    def ready() -> None:
        out.print(f"Bolicho is open at [bold]{address}[/]", soft_wrap=True)

    arena = {"runs": str(runs), "reports": str(reports), "trained": str(trained), "show_runs": show_runs}
    web.serve(web.Settings(database, sync, tuple(game or ()), (), thinkers, **arena), sock, ready, processes)


def verify(
    file: Annotated[Path, path_argument(help="The whole record of a match, as the table gives it after the end.")],
    seen: Annotated[list[Path] | None, path_argument(help="Records of seats that were kept during the match.")] = None,
    json: Json = False,
) -> None:
    """Check that a match was dealt fairly: commitments, seed, actions, cards and result; say what is not checked."""
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
        if not json:
            tell_record(table, print_line, spoken)
        answer(json, table.result(), standing(table, spoken))


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
