"""Declaration, running and reports of studies.

A study is a row of `STUDIES` and a function `run(effort) -> Findings`, which returns tables and figures with published
values beside measured ones. `bolicho lab run` calls it and writes the report.
"""

import csv
import io
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from bolicho import __version__
from bolicho.arena.experiment import Experiment
from bolicho.arena.html_page import Page, Value
from bolicho.arena.html_page import TableCell as PageCell
from bolicho.arena.run import Run
from bolicho.arena.run import run as run_experiment
from bolicho.errors import BadInput, unknown
from bolicho.files import write_bytes_atomic, write_text_atomic
from bolicho.i18n import Catalogue, Message, catalogue
from bolicho.machine import machine
from bolicho.stats import Estimate, rate

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Plot

T = TypeVar("T")


@dataclass(frozen=True)
class Measured:
    """A measured value as a table shows it, with the published value if there is one."""

    estimate: Estimate
    published: float | None = None
    percent: bool = False

    def __str__(self) -> str:
        text = self._write(self.estimate.value)
        if self.estimate.has_interval:
            text += f" [{self._write(self.estimate.low)}, {self._write(self.estimate.high)}]"
        return text

    def shown(self) -> PageCell:
        """Return the value for a page, with its interval in small type."""
        interval = str(self).partition(" ")[2].replace("%", "")
        return PageCell(self._write(self.estimate.value), interval, order=self.estimate.value)

    def _write(self, value: float) -> str:
        return f"{100 * value:.1f}%" if self.percent else f"{value:.4g}"

    @property
    def published_text(self) -> str:
        """The published value as text, or a dash."""
        return "-" if self.published is None else self._write(self.published)

    @property
    def agrees(self) -> bool | None:
        """True if the published value lies in the interval; None without a published value or an interval."""
        if self.published is None or not self.estimate.has_interval:
            return None
        return self.estimate.low <= self.published <= self.estimate.high

    def plain(self) -> dict[str, float | bool | None]:
        """Return the value, interval and published value as JSON."""
        return {**self.estimate.written(), "published": self.published, "percent": self.percent}


def standing(row: Mapping[str, Any], *names: str) -> list[Measured]:
    """Return estimates of an agent in the result of a tournament, such as its `rating` or `rate` (in percent)."""
    return [Measured(Estimate.read(row[name]), percent=name == "rate") for name in names]


def share(units: ArrayLike, published: float | None = None, sets: int | None = None) -> Measured:
    """Return a share from its value on each deal (or other unit), with its 95% interval (`stats.rate`)."""
    return Measured(rate(units, sets), published, percent=True)


PUBLISHED = " (published)"

Cell = Measured | str | int | float | None


@dataclass(frozen=True)
class Table:
    """A table of the report."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def written(self, words: Catalogue | None = None) -> tuple[list[str], list[list[str]]]:
        """Return columns and rows as text; a column of `Measured` with published values becomes two."""
        columns, rows = self._spread(_text, words or catalogue("en"))
        return columns, [[str(cell) for cell in row] for row in rows]

    def shown(self) -> list[list[Value]]:
        """Return the rows for a page, with intervals in small type."""
        shown = lambda cell: cell.shown() if isinstance(cell, Measured) else _text(cell)  # noqa: E731
        return self._spread(shown, catalogue("en"))[1]

    def _spread(self, write: Callable[[Cell], Value], words: Catalogue) -> tuple[list[str], list[list[Value]]]:
        """Return columns and written rows, with a column of published values after each column that has some."""
        published = {
            i
            for row in self.rows
            for i, cell in enumerate(row)
            if isinstance(cell, Measured) and cell.published is not None
        }
        columns: list[str] = []
        for i, column in enumerate(self.columns):
            more = words.say(Message("lab.report.published", column=column))
            columns += [column, more] if i in published else [column]
        rows: list[list[Value]] = []
        for row in self.rows:
            cells: list[Value] = []
            for i, cell in enumerate(row):
                cells.append(write(cell))
                if i in published:
                    cells.append(cell.published_text if isinstance(cell, Measured) else "-")
            rows.append(cells)
        return columns, rows


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


@dataclass(frozen=True)
class Figure:
    """A plot of the report."""

    name: str  # name of its files
    plot: "Plot"
    caption: str


@dataclass
class Findings:
    """Results of a study."""

    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    title: str = ""  # by default that of the study
    source: str = ""  # the same


@dataclass(frozen=True)
class Effort:
    """Size of a run, and the folder of its unfinished work."""

    full: bool
    seed: int
    jobs: int | None  # processes; None for one per core
    folder: Path
    records: Path | None = None  # matches of people, for studies that read them
    scripted: bool = False  # True if the report includes scripted participants
    language: str = "en"  # of the report, for studies that are written in several
    cluster: str | None = None  # the Dask scheduler whose workers play, instead of local processes
    agents: tuple[str, ...] = ()  # agents to measure, for studies that take them

    def play(self, experiment: Experiment, name: str) -> Run:
        """Play a tournament of the study in the folder `name`; finished games are not played again."""
        return run_experiment(experiment, self.folder / name, self.jobs, cluster=self.cluster)

    def pick(self, *, quick: T, full: T) -> T:
        """Return the value for `--quick` or `--full`."""
        return full if self.full else quick


@dataclass(frozen=True)
class Study:
    """Declaration of a study: name, title, the work that it reproduces, and its function."""

    name: str
    title: str
    source: str
    home: str
    reads_records: bool = False
    takes_agents: bool = False


_ROWS = """
styles | The scripted Truco styles against each other | ours | styles:run
gallery | Who plays how well: the opponents of every game that answer quickly | ours | gallery:run
search-parts | Search that infers: what each part of it brings, game by game | ours | search_parts:run
matrix | Every technique on every game, rated | ours | matrix.play:run
language-models | Language models at Truco, measured by a strategy near equilibrium | ours | language_models:run | agents
truco-equilibrium | Truco near equilibrium: how far everybody is from it | ours | equilibrium.play:run
cbr-readings | Which reading explains most of what is printed | Paulus 2020 | cbr.readings:run
cbr-stage-1 | Twenty reuse policies, baseline base | Paulus 2020, figure 10; Paulus et al., figure 2 | cbr.stages:stage_1
cbr-options | What each option of the case-based agents changes in stage 1 | ours, between Paulus 2020, figure 10, and our options | cbr.stages:options
cbr-stage-2 | The learned base against the baseline | Paulus 2020, figure 11; Paulus et al., figure 3 | cbr.stages:stage_2
cbr-stage-3 | The ten best with the learned base | Paulus 2020, figures 12 to 16 and table 16; Paulus et al., figures 4 and 5 | cbr.stages:stage_3
cbr-stage-4 | The four best against people, from a study with people | Paulus 2020, table 17 and figures 17 to 21 | cbr.people:run | records
cbr-learning | What the learned base depends on | Paulus 2020, section 4.1.3, and ours | cbr.learning:run
cbr-clusters | The clusters of the learned base and of the initial one | Paulus 2020, figure 5, tables 6 and 12, and appendix B (tables 1 to 17, figures 1 to 16) | cbr.clusters:run
cbr-future | Learned weights, clusters by mixtures and detection of bluffs | Paulus 2020, chapter 6, and ours | cbr.future:run
markov-self-play | The Markov agent against itself, in heatmaps | Rossato 2020, figures 5.5 to 5.11 | markov.self_play:run
markov-opponents | The Markov agent against the four best case-based agents | Rossato 2020, tables 5.2 to 5.4 and figures 5.12 to 5.16 | markov.opponents:run
markov-calling | The Markov agent against opponents who call more, or less | Rossato 2020, tables 5.2 to 5.4, and ours | markov.calling:run
markov-options | What the Markov agent wished for, option by option | Rossato 2020, chapter 6 | markov.options:run
dominoes-perfect | Dominoes with everything open: Sarsa | Pinto 2018, table 1 | dominoes.open_hands:run_perfect
dominoes-time | Dominoes with everything open: searches, by their time | Pinto 2018, figures 13 and 14 | dominoes.open_hands:run_time
dominoes-draw | Draw dominoes, all against all | Pinto 2018, table 2 | dominoes.hidden_hands:run_draw
dominoes-fives | All fives, all against all | Pinto 2018, table 3 | dominoes.hidden_hands:run_fives
dominoes-published | Dominoes, PIMC with the published parameters: 100 worlds, 0.007 seconds each | Pinto 2018, tables 2 and 3 | dominoes.hidden_hands:run_published
dominoes-inference | What inference and recursion bring to PIMC | Pinto 2018, chapter 6 (future work) | dominoes.sampled_worlds:run
wonders | 7 Wonders by rules, imitation and Q-learning | Pereira 2021, tables 3.9 and 4.1, graphs 4.1 to 4.4 | wonders.play:run
wonders-search | The hyper-parameters of the imitation nets of 7 Wonders | Pereira 2021, tables 3.7 to 3.9 | wonders.search:run
"""  # noqa: E501 (rows of a table)


def _study(row: str) -> Study:
    name, title, source, home, *reads = (cell.strip() for cell in row.split("|"))
    return Study(name, title, source, f"{__package__}.{home}", reads == ["records"], reads == ["agents"])


STUDIES = tuple(map(_study, _ROWS.strip().splitlines()))


def find(name: str) -> Study:
    """Return the study with this name."""
    for study in STUDIES:
        if study.name == name:
            return study
    raise unknown("study", name, (study.name for study in STUDIES))


def run_study(
    name: str,
    *,
    full: bool = False,
    seed: int = 1,
    jobs: int | None = None,
    out: Path | None = None,
    records: Path | None = None,
    scripted: bool = False,
    cluster: str | None = None,
    language: str = "en",
    agents: Sequence[str] = (),
) -> Path:
    """Run a study, write its report and return the path of the report's page."""
    study = find(name)
    if (records is not None or scripted) and not study.reads_records:
        raise BadInput(f"the study {name} plays its own games and reads no records")
    if bool(agents) != study.takes_agents:
        need = "needs agents to measure: write for instance --agent 'llm(model=NAME)'"
        raise BadInput(f"the study {name} {need if study.takes_agents else 'measures its own agents'}")
    if language != "en" and not study.reads_records:
        raise BadInput(f"the report of {name} is written in English alone; leave out --language")
    folder = out or Path("reports") / f"{name}-{'full' if full else 'quick'}"
    effort = Effort(full, seed, jobs, folder / "work", records, scripted, language, cluster, tuple(agents))
    words = catalogue(language)
    module, attribute = study.home.split(":")
    findings: Findings = getattr(import_module(module), attribute)(effort)
    command = f"bolicho lab run {shlex.quote(name)} {'--full' if full else '--quick'} --seed {seed}"
    command += "".join(f" --agent {shlex.quote(spec)}" for spec in agents)
    if records is not None:
        command += f" --records {shlex.quote(str(records))}" + " --scripted" * scripted
    command += f" --language {language}" * (language != "en")
    return write_report(study, findings, command, folder, words)


def write_report(study: Study, findings: Findings, command: str, folder: Path, words: Catalogue | None = None) -> Path:
    """Write index.html, every figure as PNG and SVG, every table as CSV, and all tables as JSON."""
    words = words or catalogue("en")
    source = words.say(Message("lab.report.source", source=findings.source or study.source))
    page = Page(findings.title or study.title, source, words.language)
    facts_of = {"command": command, "version": f"bolicho {__version__}", "machine": machine()}
    page.facts({words.say(Message(f"lab.report.{name}")): fact for name, fact in facts_of.items()})
    for note in findings.notes:
        page.text(note)
    for number, table in enumerate(findings.tables, 1):
        columns, rows = table.written(words)
        page.heading(table.title)
        page.table([dict(zip(columns, row, strict=True)) for row in table.shown()], table.note)
        write_text_atomic(folder / f"table-{number}.csv", _csv(columns, rows))
    for figure in findings.figures:
        for ending in ("png", "svg"):
            drawn = io.BytesIO()
            figure.plot.savefig(drawn, format=ending, dpi=150, bbox_inches="tight", facecolor="white")
            write_bytes_atomic(folder / f"{figure.name}.{ending}", drawn.getvalue())
        page.figure(figure.plot, figure.caption)
    facts = {"study": study.name, "command": command, "version": __version__, "machine": machine()}
    tables = [
        {"title": t.title, "columns": list(t.columns), "rows": _plain(t.rows), "note": t.note} for t in findings.tables
    ]
    write_text_atomic(folder / "findings.json", json.dumps({**facts, "tables": tables}, indent=1, ensure_ascii=False))
    index = folder / "index.html"
    page.write(index)
    return index


def _csv(columns: list[str], rows: list[list[str]]) -> str:
    lines = io.StringIO()
    csv.writer(lines).writerows([columns, *rows])
    return lines.getvalue()


def _plain(rows: Sequence[Sequence[Cell]]) -> list[list[Any]]:
    return [[cell.plain() if isinstance(cell, Measured) else cell for cell in row] for row in rows]
