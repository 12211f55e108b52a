"""The commands `bolicho study`: create, run, export and delete studies with people."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from bolicho.cli.database import DATABASE, Database
from bolicho.cli.shell import Json, answer, check_seed, home_address, keep_stdout, out, path_argument, path_option, warn
from bolicho.errors import BadInput

study = typer.Typer(
    no_args_is_help=True,
    help="Studies with people: plans, invitations, status and results.",
    epilog="Begin with `bolicho study new --template > my.toml`, edit it, `check` it, "
    "and create the study with `new my.toml`; `bolicho serve` then admits participants.",
)
Study = Annotated[str, typer.Argument(help="Name printed by `study new`; `study status` lists all.")]
Plan = Annotated[Path | None, path_argument(help="The plan: a TOML file.", metavar="FILE")]
Address = Annotated[str, typer.Option(help="Public address of the server, with which links begin.")]
ADDRESS = "http://127.0.0.1:8000"
CHECKPOINT_TIMEOUT = 5.0  # seconds to wait for other programs that read the database


@study.command()
def new(
    file: Plan = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Use the built-in plan: Paulus 2020, 5.2.4.")] = False,
    template: Annotated[
        bool, typer.Option("--template", help="Only print the built-in plan, as a template for your own.")
    ] = False,
    database: Database = DATABASE,
    address: Address = ADDRESS,
    json: Json = False,
) -> None:
    """Create a study from a plan: `bolicho study new my.toml`; a running server has it at once."""
    from bolicho.web.study.plan import check_agents, read_file, read_plan
    from bolicho.web.study.plan import shipped as shipped_plan
    from bolicho.web.study.status import plan_facts

    if (file is not None) + shipped + template != 1:
        raise BadInput("name a FILE, or --shipped for the built-in study, or --template to print a plan to begin with")
    if template:
        sys.stdout.write(shipped_plan())
        return
    keep_stdout()
    from bolicho.store import studies
    from bolicho.store.database import open_database

    if file is not None:
        plan, text = read_file(file)
    else:
        text = shipped_plan()
        plan = read_plan(text)
        check_agents(plan)
    with open_database(database).begin() as connection:
        number = studies.add_study(connection, text)
    page = f"{address.rstrip('/')}/s/{number}"
    told = plan_facts(plan)
    facts = {
        "study": number,
        "address": page,
        "room": plan.room,
        "warnings": told["warnings"],
        "blanks": told["blanks"],
    }
    if not json:
        _warn_of(told)
    room = [] if plan.room is None else [f"participants: {page}, with the code {plan.room}"]
    lines = [
        f"study: {number}",
        f"open it to people: bolicho study open {number}{_options(database)}",
        *room,
        f"personal links: bolicho study links {number} {plan.target}{_options(database, address)}",
        f"admit them: bolicho serve{_options(database)}",
        f"your page: {address.rstrip('/')}/research, with a token from:",
        f"  bolicho token new NAME --scope research{_options(database)}",
    ]
    answer(json, facts, lines)


def _warn_of(facts: dict[str, Any]) -> None:
    """Print the warnings and the blanks of a plan."""
    for line in [*facts["warnings"], *map(_told_blank, facts["blanks"])]:
        warn(line)


def _told_blank(blank: tuple[str, str, str]) -> str:
    place, language, text = blank
    return f"{place} in {language!r} has a blank that is yours to fill in: {text}"


def _options(database: str, address: str = ADDRESS) -> str:
    """Return the options that make another command use the same server."""
    more = f" --database {database}" if database != DATABASE else ""
    return more + (f" --address {address}" if address != ADDRESS else "")


@study.command()
def check(file: Annotated[Path, path_argument(help="The plan: a TOML file.")], json: Json = False) -> None:
    """Check a plan and its agents: report errors with their places, or list the steps of a participant."""
    keep_stdout()
    from bolicho.web.study.plan import read_file
    from bolicho.web.study.status import plan_facts

    plan, _ = read_file(file)
    facts = plan_facts(plan)
    rows = facts["sequences"]
    lines = [f"{file} can be used", f"steps: {', '.join(facts['steps'])}"]
    if plan.order == "williams":
        lines.append(f"sequences of opponents: {rows}, for {plan.target} participants")
        if not facts["balanced"]:
            near = max(rows, round(plan.target / rows) * rows)
            lines.append(f"positions and successions are exactly balanced with a multiple of {rows}, as {near} is")
    if facts["blanks"]:
        lines.append(f"it cannot be opened to people yet: {len(facts['blanks'])} blanks are yours to fill in")
    answer(json, facts, lines)
    if not json:
        _warn_of(facts)


@study.command("open")
def open_study(study: Study, database: Database = DATABASE) -> None:
    """Open a study to people; the texts must have no blanks.  From then on the plan cannot be changed."""
    keep_stdout()
    from bolicho.store import studies
    from bolicho.store.database import now, open_database
    from bolicho.web.study.plan import read_plan

    with open_database(database).begin() as connection:
        blanks = read_plan(studies.named_study(connection, study).plan).blanks
        if not blanks:
            studies.open_study(connection, study, now())
    if blanks:
        for line in map(_told_blank, blanks):
            warn(line)
        raise BadInput(
            f"{study} is not opened: {len(blanks)} blanks of its texts are not filled in; edit the plan at /research, "
            "or make the study anew from the file"
        )
    out.print(f"{study} is open", markup=False)


@study.command()
def power(
    file: Annotated[Path, path_argument(help="The plan: a TOML file.")],
    effect: Annotated[float, typer.Option(help="Difference of one agent from all others, in marks.")] = 0.5,
    within: Annotated[float, typer.Option(help="Standard deviation of a participant's marks for one agent.")] = 1.0,
    between: Annotated[float, typer.Option(help="Standard deviation between participants.")] = 0.7,
    points: Annotated[int, typer.Option(help="Points of the scale.", min=2, max=11)] = 5,
    missing: Annotated[float, typer.Option(help="Share of blank answers.", min=0, max=0.9)] = 0.0,
    participants: Annotated[
        str | None, typer.Option(help="Numbers of participants, such as 12,24; by default around the plan's target.")
    ] = None,
    studies: Annotated[int, typer.Option(help="Simulated studies for each number.", min=10, max=100_000)] = 500,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.", callback=check_seed)] = 1,
    json: Json = False,
) -> None:
    """Simulate the power of a study: how often its analysis finds a difference of a given size between two agents.

    Marks are simulated with the orders of the plan and analysed as the report does: one pair by itself, and by Holm's
    method among all pairs.  Deviations of a pilot study are better than the defaults.
    """
    keep_stdout()
    from dataclasses import asdict

    from bolicho.lab.power import Assumed
    from bolicho.lab.power import power as power_of
    from bolicho.progress import progress
    from bolicho.web.study.latin_squares import num_rows, sequence
    from bolicho.web.study.plan import read_file

    plan, _ = read_file(file)
    if len(plan.opponents) < 2:
        raise BadInput(f"{file}: a comparison needs two opponents, and the plan has one")
    rows = num_rows(plan.order, len(plan.opponents))
    numbers = (
        _numbers(participants) if participants else sorted({max(4, plan.target * k // 4) for k in (2, 3, 4, 6, 8)})
    )
    orders = [sequence(plan.order, len(plan.opponents), row % rows) for row in range(min(rows, max(numbers)))]
    assumed = Assumed(effect, within, between, points, missing)
    found = []
    with progress("power", studies * len(numbers), "studies", show=not json) as bar:
        for place, number in enumerate(numbers):
            advance = partial(_advance, bar.update, place * studies)
            found.append(power_of(orders, number, assumed, studies=studies, seed=seed, advance=advance))
    enough = next((one.participants for one in found if one.holm.value >= POWER), None)
    lines = [
        f"effect {effect:g}, deviation {within:g} within and {between:g} between participants, scale of {points}, "
        f"{missing:.0%} blank; {studies} simulated studies, seed {seed}",
        "participants  power of one pair       power among all pairs (Holm)",
        *(f"{one.participants:12}  {_share(one.alone):22}  {_share(one.holm)}" for one in found),
        f"80% power among all pairs: {enough if enough else 'with more participants'}",
    ]
    facts = {"assumed": asdict(assumed), "studies": studies, "seed": seed, "power": [asdict(one) for one in found]}
    answer(json, {**facts, "enough": enough}, lines)


POWER = 0.8  # usual aim (Cohen 1988)


def _advance(update: Callable[[int], None], before: int, done: int) -> None:
    update(before + done)


def _numbers(text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() and 4 <= int(part) <= 10_000 for part in parts):
        raise BadInput(f"--participants must be numbers from 4 to 10000, such as 12,24, not {text!r}")
    return [int(part) for part in parts]


def _share(found: Any) -> str:
    return f"{found.value:.1%} [{found.low:.1%}, {found.high:.1%}]"


@study.command()
def preregister(
    file: Annotated[Path, path_argument(help="The plan: a TOML file.")],
    language: Annotated[str, typer.Option(help="Language of the text: en, pt or es.")] = "en",
) -> None:
    """Print the text of a preregistration: design, measures and analysis of a plan, with [blanks] for the rest."""
    keep_stdout()
    from bolicho.web.study.plan import read_file
    from bolicho.web.study.preregistration import preregistration

    plan, _ = read_file(file)
    out.print(preregistration(plan, language).rstrip(), markup=False, soft_wrap=True)


@study.command()
def links(
    study: Study,
    count: Annotated[int, typer.Argument(help="Number of links.", min=1, max=100_000)],
    scripted: Annotated[
        bool, typer.Option("--scripted", help="For test programs: marked as scripted everywhere.")
    ] = False,
    qr: Annotated[Path | None, path_option("--qr", help="Folder for the QR code of each link, as SVG.")] = None,
    database: Database = DATABASE,
    address: Address = ADDRESS,
    json: Json = False,
) -> None:
    """Create links for participants, one each, valid on any device.  Links are shown once."""
    keep_stdout()
    from bolicho.store import studies
    from bolicho.store.database import open_database

    with open_database(database).begin() as connection:
        studies.named_study(connection, study)
        made = [studies.add_participant(connection, study, scripted) for _ in range(count)]
    found = [{"code": code, "link": f"{address.rstrip('/')}/s/{study}#p={token}"} for code, token in made]
    if qr is not None:
        from bolicho.files import write_text_atomic
        from bolicho.web.study.qr import qr_svg

        qr.mkdir(parents=True, exist_ok=True)
        for one in found:
            write_text_atomic(qr / f"{one['code']}.svg", qr_svg(one["link"]))
    answer(json, {"study": study, "scripted": scripted, "links": found}, (one["link"] for one in found))


@study.command()
def status(
    study: Annotated[str | None, typer.Argument(help="Name of a study; by default all, one line each.")] = None,
    scripted: Annotated[bool, typer.Option("--scripted", help="Count scripted participants, not people.")] = False,
    database: Database = DATABASE,
    json: Json = False,
) -> None:
    """Show the status of a study: participants by step, balance, and results of the matches."""
    keep_stdout()
    from bolicho.store import studies
    from bolicho.store.database import now, open_database
    from bolicho.web.study import status as standing

    with open_database(database).begin() as connection:
        if study is None:
            facts = standing.listed(connection, now())
        else:
            studies.named_study(connection, study)
            facts = standing.whole(connection, study, now(), scripted)
    answer(json, facts, status_lines(facts) if study is not None else map(_listed, facts["studies"]))


def _listed(one: dict[str, Any]) -> str:
    return f"{one['study']}  {one['finished']} of {one['target']} finished  {next(iter(one['title'].values()))}"


def status_lines(facts: dict[str, Any]) -> list[str]:
    """Return the lines of a study's status."""
    counts = ", ".join(f"{count} {state}" for state, count in facts["counts"].items() if count) or "no participants yet"
    is_open = "yes" if facts["open"] else "no" if facts["opened"] else "not yet"
    lines = [
        f"{facts['study']}: {facts['finished']} of {facts['target']} {facts['of']} finished; {counts}",
        f"open: {is_open}; to be deleted from {facts['retention']} on",
    ]
    for step, number, reached, done in facts["attrition"]:
        lines.append(f"  step {number:2}  {step:<12} reached by {reached}, done by {done}")
    for row in facts["results"]:
        lines.append(f"  {row['agent']}: won {row['won']} of {row['matches']}")
        for item, given in row["answers"].items():
            lines.append(f"    {item}: {' '.join(map(str, given))}, blank {row['blank'][item]}")
    for name, table in facts["balance"].items():
        even = "even" if is_even(name, table) else "not even"
        lines.append(f"  {name}: {even}: " + "; ".join(" ".join(map(str, counts)) for _, counts in table))
    return lines


def is_even(name: str, table: list[list[Any]]) -> bool:
    """Return whether a table of positions or successions of opponents is balanced: all counts are equal."""
    cells = [
        count
        for row, (_, counts) in enumerate(table)
        for column, count in enumerate(counts)
        if name == "positions" or row != column
    ]
    return len(set(cells)) <= 1


@study.command()
def delete(
    study: Study,
    sure: Annotated[bool, typer.Option("--sure", help="Delete even before the retention date of the plan.")] = False,
    database: Database = DATABASE,
) -> None:
    """Delete a study with all its participants, answers, matches, moves and case bases."""
    keep_stdout()
    from datetime import UTC, datetime

    from bolicho.store import studies
    from bolicho.store.database import open_database
    from bolicho.web.study.erasure import finish
    from bolicho.web.study.plan import read_plan

    engine = open_database(database)
    with engine.begin() as connection:
        if study not in studies.unfinished_erasures(connection).values() or studies.read_study(connection, study):
            row = studies.named_study(connection, study)
            day = read_plan(row.plan).retention
            if datetime.now(UTC).date() < day and not sure:
                raise BadInput(f"the plan keeps the data of {study} until {day}; add --sure to delete it now")
            studies.delete_study(connection, study)
    if remains := finish(engine, CHECKPOINT_TIMEOUT):
        where = {
            "journal": f"{database}-wal, which another program is reading",
            "bases": "case bases, which could not be written",
        }
        raise BadInput(
            f"{study} is deleted, but copies of its rows remain in {' and in '.join(where[one] for one in remains)}; "
            "a server on this database erases them as soon as it can, or repeat this command later"
        )
    out.print(f"{study} and all its data are deleted", markup=False)


@study.command()
def export(
    study: Study,
    folder: Annotated[Path | None, path_option("--out", help="The folder; by default exports/STUDY.")] = None,
    publish: Annotated[
        bool, typer.Option("--publish", help="Anonymise, and add a data card, a licence and checksums.")
    ] = False,
    licence: Annotated[
        str, typer.Option(help="With --publish: CC0-1.0, CC-BY-4.0, CC-BY-SA-4.0, CC-BY-NC-4.0 or ODC-By-1.0.")
    ] = "CC-BY-4.0",
    texts: Annotated[
        bool, typer.Option("--texts", help="With --publish: include written answers, which you have read.")
    ] = False,
    database: Database = DATABASE,
    json: Json = False,
) -> None:
    """Write all data of a study into a folder: CSV, Parquet, records, and the meaning of every column.

    With --publish the folder is a release for others: without scripted participants, with new codes and no dates.
    """
    keep_stdout()
    from bolicho.store.database import open_database
    from bolicho.web.study.export import export_folder
    from bolicho.web.study.publish import publish as release

    if publish:
        folder = folder or Path("exports") / f"{study}-release"
        told = release(open_database(database), study, folder, licence, texts)
        smallest = told["smallest_group"]
        lines = [*(f"{name}: {count}" for name, count in told["rows"].items()), f"release: {folder}"]
        lines.append("read its README.md, and fill in what stands in [square brackets]")
        lines += [f"smallest group with the same demographics: {smallest}"] if smallest is not None else []
        answer(json, {"study": study, "folder": str(folder), **told}, lines)
        return
    folder = folder or Path("exports") / study
    counts = export_folder(open_database(database), study, folder)
    lines = [*(f"{name}: {count}" for name, count in counts.items()), f"export: {folder}"]
    answer(json, {"study": study, "folder": str(folder), "rows": counts}, lines)


@study.command()
def rehearse(
    plan: Annotated[
        str,
        typer.Argument(help="A plan (a TOML file), or the name of a study.", metavar="FILE|STUDY", parser=home_address),
    ],
    participants: Annotated[
        int | None, typer.Option(help="Number of participants who finish; by default the plan's target.", min=1)
    ] = None,
    dropouts: Annotated[float, typer.Option(help="Share of participants who leave or withdraw.")] = 0.1,
    careless: Annotated[int, typer.Option(help="Number who answer without reading.", min=0)] = 0,
    automated: Annotated[int, typer.Option(help="Number who act as a program does, in a browser.", min=0)] = 0,
    declining: Annotated[int, typer.Option(help="Number who decline, besides those who finish.", min=0)] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Use the real pages, in Chromium.")] = False,
    folder: Annotated[Path, path_option("--out", help="Folder of the export.")] = Path("exports/rehearsal"),
    seed: Annotated[int, typer.Option(help="Seed of their actions and answers.", callback=check_seed)] = 1,
    server: Annotated[str | None, typer.Option(help="A server with the STUDY; by default a temporary one.")] = None,
    token: Annotated[str | None, typer.Option(help="A research token of that server.")] = None,
    database: Database = DATABASE,
    json: Json = False,
) -> None:
    """Run a whole study with scripted participants, marked as such everywhere, and export the results.

    It uses a temporary server and database; the study itself is not changed.
    """
    keep_stdout()
    from bolicho.web.study.rehearse import Cast, rehearsal, told

    text = None if server else _plan_text(plan, database)
    cast = Cast(dropouts, careless, automated, declining)
    done = rehearsal(
        text, server, token, plan, participants, folder, cast=cast, seed=seed, browser=browser, show=not json
    )
    facts = {"study": done.study, "folder": str(done.folder), "ends": done.ends, "balance": done.balance}
    answer(json, facts, told(done))


def _plan_text(plan: str, database: str) -> str:
    """Return the plan in a file, or that of a study."""
    from bolicho.web.study.plan import read_file

    if Path(plan).is_file():
        return read_file(plan)[1]
    if plan.endswith(".toml"):
        raise BadInput(f"there is no file {plan!r}; `bolicho study new --template` prints a plan to begin with")
    from bolicho.store import studies
    from bolicho.store.database import open_database

    with open_database(database).begin() as connection:
        return studies.named_study(connection, plan).plan
