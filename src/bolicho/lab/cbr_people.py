"""Stage 4 of document 000: the agents against people, from recorded matches and what people answered.

A folder holds the matches as records (`*.json`, or many as `*.jsonl`), as `bolicho play truco human
pvcnps --record FILE` writes them: the person's seat is named `human`, the other one by its agent.
What people answered after a match stands beside them in `answers.csv`.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure as Plot

from bolicho.arena.page import ACCENT, LOSE, SOFT, plot_style
from bolicho.arena.stats import Estimate, mean, rate
from bolicho.errors import BadInput
from bolicho.games.record import read_records, replay
from bolicho.lab import cbr_published as published
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table

HUMAN = "human"
ANSWERS = "answers.csv"
QUALITIES = ("competence", "coherence", "predictability", "fun")
COLUMNS = ("record", *QUALITIES, "experience")
"""Of `answers.csv`: the record's file, four answers from 1 (very bad) to 5 (very good; very unpredictable),
and for how long the person has played Truco, in any words."""

SCALE = range(1, 6)


@dataclass(frozen=True)
class Match:
    """A finished match of an agent against a person."""

    record: str  # its file
    agent: str
    ahead: int  # points of the agent minus points of the person


@dataclass(frozen=True)
class Answer:
    """What a person answered after a match."""

    agent: str
    marks: Mapping[str, int]
    experience: str


def run(effort: Effort) -> Findings:
    """Wins, differences of points and answers beside table 17 and figures 17 to 21."""
    if effort.records is None:
        raise BadInput(
            "this study reads matches against people: give a folder of records with --records"
            " (bolicho play truco human pvcnps --record FOLDER/1.json makes one)"
        )
    matches, left_out = read_matches(effort.records)
    answers = read_answers(effort.records / ANSWERS, matches)
    notes = [f"{len(matches)} finished matches against people; left out (unfinished, or nobody is human): {left_out}."]
    return Findings(
        tables=[results_table(matches), *([answers_table(answers), experience_table(answers)] if answers else [])],
        figures=[answers_figure(answers)] if answers else [],
        notes=notes,
    )


# --- Reading ------------------------------------------------------------------------------------


def read_matches(folder: Path) -> tuple[list[Match], int]:
    """The finished matches of a person against an agent, and how many records were none."""
    files = sorted([*folder.glob("*.json"), *folder.glob("*.jsonl")])
    if not files:
        raise BadInput(f"there are no records (*.json, *.jsonl) in {str(folder)!r}")
    found, left_out = [], 0
    for file in files:
        for record in read_records(file):
            try:
                table = replay(record)
            except BadInput as problem:
                raise BadInput(f"{file}: {problem}") from None
            players = table.players or []
            if table.game.name != "truco" or not table.over or players.count(HUMAN) != 1:
                left_out += 1
                continue
            seat = 1 - players.index(HUMAN)
            found.append(Match(file.name, players[seat], table.scores[seat] - table.scores[1 - seat]))
    if not found:
        raise BadInput(f"none of the records in {str(folder)!r} is a finished match of truco with a seat {HUMAN!r}")
    return found, left_out


def read_answers(path: Path, matches: Sequence[Match]) -> list[Answer]:
    """The answers of `answers.csv`, strictly; none where there is no such file."""
    if not path.exists():
        return []
    agents = {match.record: match.agent for match in matches}
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != COLUMNS:
            raise BadInput(f"{path}: the columns must be {', '.join(COLUMNS)}")
        return [_answer(f"{path}, row {number}", row, agents) for number, row in enumerate(rows, 1)]


def _answer(where: str, row: Mapping[str, str], agents: Mapping[str, str]) -> Answer:
    if row["record"] not in agents:
        raise BadInput(f"{where}: {row['record']!r} is none of the finished matches against a person")
    for quality in QUALITIES:
        if row[quality] not in map(str, SCALE):
            raise BadInput(f"{where}: {quality} is {row[quality]!r}, and may be 1 to 5")
    return Answer(agents[row["record"]], {quality: int(row[quality]) for quality in QUALITIES}, row["experience"] or "")


# --- Reporting ----------------------------------------------------------------------------------


def _agents(found: Sequence[Match | Answer]) -> list[str]:
    """The agents met, those of the document first and in its order."""
    met = {one.agent for one in found}
    return [name for name in published.TABLE_17 if name in met] + sorted(met - set(published.TABLE_17))


def results_table(matches: Sequence[Match]) -> Table:
    """Wins and mean differences of points (table 17)."""
    rows: list[list[Cell]] = []
    for agent in _agents(matches):
        ahead = [match.ahead for match in matches if match.agent == agent]
        wins, in_wins, in_losses = published.TABLE_17.get(agent, (None, None, None))
        won = rate([difference > 0 for difference in ahead])
        was = None if wins is None else wins / published.STAGE_4_MATCHES
        rows.append([
            agent,
            f"{sum(difference > 0 for difference in ahead)} of {len(ahead)}",
            Measured(won.value, won.low, won.high, was, percent=True),
            _difference([difference for difference in ahead if difference > 0], in_wins),
            _difference([difference for difference in ahead if difference < 0], in_losses),
        ])  # fmt: skip
    note = f"Mean difference of points in wins and in losses. Published: {published.STAGE_4_MATCHES} matches each."
    return Table("Table 17: against people", ["agent", "won", "share", "in wins", "in losses"], rows, note)


def _difference(points: Sequence[int], was: float | None) -> Cell:
    if not points:
        return None
    found: Estimate = mean(points)
    known = found.low == found.low  # one match has no interval
    return Measured(found.value, found.low if known else None, found.high if known else None, was)


def _spread(marks: Sequence[int]) -> tuple[int, int, int]:
    """How many answers were good (4, 5), in the middle (3) and bad (1, 2)."""
    return sum(mark > 3 for mark in marks), sum(mark == 3 for mark in marks), sum(mark < 3 for mark in marks)


def answers_table(answers: Sequence[Answer]) -> Table:
    """Good, middling and bad answers, beside what the text says of figures 18 to 21."""
    rows: list[list[Cell]] = []
    for agent in _agents(answers):
        for quality in QUALITIES:
            marks = [answer.marks[quality] for answer in answers if answer.agent == agent]
            was = published.STAGE_4_ANSWERS.get(agent, {}).get(quality)
            rows.append([
                agent, quality, sum(marks) / len(marks), " / ".join(map(str, _spread(marks))),
                " / ".join(map(str, was)) if was else None,
            ])  # fmt: skip
    columns = ["agent", "quality", "mean of 1 to 5", "good / middling / bad", "good / middling / bad (published)"]
    note = "Good is 4 or 5; of predictability, unpredictable. The published counts are those the text gives."
    return Table("What people answered", columns, rows, note)


def experience_table(answers: Sequence[Answer]) -> Table:
    """For how long people have played (figure 17)."""
    said = [answer.experience for answer in answers]
    rows: list[list[Cell]] = [[words or "not said", said.count(words)] for words in sorted(set(said))]
    return Table("Experience of Truco", ["experience", "answers"], rows)


def answers_figure(answers: Sequence[Answer]) -> Figure:
    """Good, middling and bad answers by agent and quality (figures 18 to 21)."""
    agents = _agents(answers)
    with plot_style():
        plot = Plot(figsize=(9.6, 0.9 + 1.1 * len(agents)))
        panels = plot.subplots(len(agents), 1, sharex=True, squeeze=False)[:, 0]
        for agent, axes in zip(agents, panels, strict=True):
            begin = [0] * len(QUALITIES)
            spreads = [_spread([a.marks[quality] for a in answers if a.agent == agent]) for quality in QUALITIES]
            for kind, colour, word in zip(range(3), (ACCENT, SOFT, LOSE), ("good", "middling", "bad"), strict=True):
                counts = [spread[kind] for spread in spreads]
                axes.barh(QUALITIES, counts, left=begin, color=colour, label=word)
                begin = [a + b for a, b in zip(begin, counts, strict=True)]
            axes.invert_yaxis()
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.set_title(agent, loc="left", fontsize=9)
            axes.grid(axis="y", visible=False)
        handles, labels = panels[0].get_legend_handles_labels()
        plot.legend(handles, labels, loc="outside upper right", ncols=3)
        panels[-1].set_xlabel("answers")
    return Figure("answers", plot, "What people answered after a match, by agent.")
