"""Commands on studies and measurements: lab, demo, bench."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as RichTable

from bolicho.cli.shell import Jobs, Json, answer, check_seed, notices, out, path_option, print_json

lab = typer.Typer(help="Studies: published tables and figures, reproduced beside our own.", no_args_is_help=True)


@lab.command("list")
def lab_list(json: Json = False) -> None:
    """List the studies, and the outcomes of the published tables and figures that they reproduce."""
    from dataclasses import asdict

    from bolicho.lab.published import ITEMS, of_study
    from bolicho.lab.study import STUDIES

    facts = {"studies": [asdict(study) for study in STUDIES], "published": [asdict(item) for item in ITEMS]}
    lines = []
    for study in STUDIES:
        lines.append(f"[bold]{study.name}[/]  {study.title}  [dim]({study.source})[/]")
        for item in of_study(study.name):
            ours = f" (with this project's {', '.join(item.ours)})" if item.ours else ""
            lines.append(f"[dim]    {item.work}, {item.name}: {item.marked}{ours}; {item.why}[/]")
    answer(json, facts, lines, markup=True)


@lab.command("run")
def lab_run(
    study: Annotated[str, typer.Argument(help="A name of `bolicho lab list`.")],
    full: Annotated[
        bool, typer.Option("--full/--quick", help="Published size, or a small version in minutes.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of every deal and every choice.", callback=check_seed)] = 1,
    jobs: Jobs = None,
    folder: Annotated[
        Path | None, path_option("--out", help="Folder of the report; an unfinished study is resumed.")
    ] = None,
    records: Annotated[
        Path | None, path_option(help="Folder of `bolicho study export`, for a study with people (cbr-stage-4).")
    ] = None,
    scripted: Annotated[bool, typer.Option("--scripted", help="Include scripted participants, marked.")] = False,
    agents: Annotated[
        list[str] | None, typer.Option("--agent", help="Agent to measure, repeatable (language-models).")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Play the study's tournaments on the workers of this Dask scheduler.")
    ] = None,
    language: Annotated[str, typer.Option(help="Language of the report of a study with people: en, pt or es.")] = "en",
    json: Json = False,
) -> None:
    """Run a study and write its report (HTML, PNG, SVG, CSV, JSON)."""
    from bolicho.lab.study import run_study

    page = run_study(
        study, full=full, seed=seed, jobs=jobs, out=folder, records=records, scripted=scripted, cluster=cluster,
        language=language, agents=agents or (),
    )  # fmt: skip
    if json:
        print((page.parent / "findings.json").read_text(encoding="utf-8"), file=out.file)
    else:
        out.print(f"report: {page}")


def demo(
    folder: Annotated[Path, path_option("--out", help="Folder of the results.")] = Path("runs/demo"),
    duplicates: Annotated[int, typer.Option(help="Deals per pairing.")] = 50,
) -> None:
    """Play a small duplicate tournament of every game: tables here, plots in an HTML report."""
    from bolicho.arena.console import show
    from bolicho.lab.demo import run_demo

    page = run_demo(folder, duplicates, tell=lambda finished: show(finished, out))
    out.print(f"report: [bold]{page}[/]")


def bench(
    names: Annotated[list[str] | None, typer.Argument(help="truco, ...; all by default.", metavar="NAME...")] = None,
    json: Json = False,
) -> None:
    """Measure speed, as ratios to peers in the same run (extra `bench`)."""
    from bolicho import bench as benches
    from bolicho.machine import machine

    results = benches.run(names, say=lambda name: notices.print(f"measuring {name} ..."))
    if json:
        print_json(benches.as_json(results))
        return
    for name, figures in results.items():
        table = RichTable(title=f"{name} ({machine()})", title_justify="left", box=None)
        for heading in ("figure", "measured", "", "wanted"):
            table.add_column(heading, justify="right" if heading in ("measured", "wanted") else "left")
        for figure in figures:
            wanted = ""
            if figure.wanted is not None:
                colour = "green" if figure.reached else "red"
                wanted = f"[{colour}]{'≥' if figure.at_least else '≤'} {figure.wanted:g}[/]"
            table.add_row(figure.name, f"{figure.value:,.4g}", figure.unit, wanted)
        out.print(table)
