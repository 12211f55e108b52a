"""Stage 4 of Paulus 2020: the agents against people, from recorded matches and what people answered.

A folder holds the matches as records (`*.json`, or many as `*.jsonl`), as `bolicho play truco human
pvcnps --record FILE` writes them: the person's seat is named `human`, the other one by its agent.
What people answered after a match stands beside them in `answers.csv`.

A person who plays several matches is one person: intervals are over participants.  A match without
a participant counts as one of its own.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from bolicho.arena.page import ACCENT, LOSE, SOFT, plot_style
from bolicho.errors import BadInput
from bolicho.games.record import read_records, replay
from bolicho.lab.cbr import published
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table
from bolicho.stats import Estimate, ratio, t_quantile, wilson

HUMAN = "human"
ANSWERS = "answers.csv"
QUALITIES = ("competence", "coherence", "predictability", "fun")
COLUMNS = ("record", "participant", *QUALITIES, "experience")
"""Of `answers.csv`: the record's file (of a .jsonl file with its line, `web.jsonl:3`); who played, under any name
that stays the same; four answers from 1 (very bad) to 5 (very good; very unpredictable); and for how long the person
has played Truco, in any words. All but the record may be blank."""

SCALE = range(1, 6)
MARK_COLOURS = (LOSE, "#e8b493", "#d8d8d2", "#94c1ab", ACCENT)  # 1 to 5


@dataclass(frozen=True)
class Match:
    """A finished match of an agent against a person."""

    record: str  # its file
    agent: str
    ahead: int  # points of the agent minus points of the person


@dataclass(frozen=True)
class Answer:
    """What a person answered after a match; None where nothing."""

    record: str
    agent: str
    participant: str
    marks: Mapping[str, int | None]
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
    people = {match.record: participant(match.record, answers) for match in matches}
    notes = [
        f"{len(matches)} finished matches against {len(set(people.values()))} people (where nobody is named, each match"
        f" counts as another person); left out (unfinished, or nobody is human): {left_out}.",
        "Table 17 as published cannot be right in every column: of its mean differences only 11 (1 win) and -12"
        " (8 losses) are means of as many whole numbers as there were wins or losses.",
    ]
    if not answers:
        return Findings(tables=[results_table(matches, people)], notes=notes)
    experience = experiences(answers)
    return Findings(
        tables=[results_table(matches, people), answers_table(answers), experience_table(experience)],
        figures=[experience_figure(experience), *answers_figures(answers)],
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
        for line, record in enumerate(read_records(file), 1):
            name = file.name if file.suffix == ".json" else f"{file.name}:{line}"
            try:
                table = replay(record)
            except BadInput as problem:
                raise BadInput(f"{file}: {problem}") from None
            players = table.players or []
            if table.game.name != "truco" or not table.over or players.count(HUMAN) != 1:
                left_out += 1
                continue
            seat = 1 - players.index(HUMAN)
            found.append(Match(name, players[seat], table.scores[seat] - table.scores[1 - seat]))
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
        found: list[Answer] = []
        for number, row in enumerate(rows, 1):
            one = _answer(f"{path}, row {number}", row, agents)
            if any(one.record == other.record for other in found):
                raise BadInput(f"{path}, row {number}: {one.record!r} has been answered for in a row before")
            found.append(one)
    return found


def _answer(where: str, row: Mapping[str, str | None], agents: Mapping[str, str]) -> Answer:
    record = row["record"] or ""
    if record not in agents:
        raise BadInput(f"{where}: {record!r} is none of the finished matches against a person")
    for quality in QUALITIES:
        if (row[quality] or "") not in ("", *map(str, SCALE)):
            raise BadInput(f"{where}: {quality} is {row[quality]!r}, and may be 1 to 5, or blank")
    marks = {quality: int(mark) if (mark := row[quality]) else None for quality in QUALITIES}
    return Answer(record, agents[record], row["participant"] or "", marks, row["experience"] or "")


def participant(record: str, answers: Sequence[Answer]) -> str:
    """Who played a match; the match itself where nobody is named."""
    return next((answer.participant for answer in answers if answer.record == record and answer.participant), record)


def experiences(answers: Sequence[Answer]) -> dict[str, str]:
    """What every participant said of their experience, once; blank where nothing."""
    found: dict[str, str] = {}
    for answer in answers:
        who = answer.participant or answer.record
        before = found.get(who, "")
        if before and answer.experience and answer.experience != before:
            raise BadInput(
                f"{ANSWERS}: the experience of {who!r} is {before!r} and {answer.experience!r}; one person has one"
            )
        found[who] = answer.experience or before
    return found


# --- Intervals over participants ----------------------------------------------------------------


def clustered_mean(values: Sequence[float], who: Sequence[str]) -> Estimate:
    """A mean with an interval over participants, each with all of theirs; without one where all are of one person."""
    people = list(dict.fromkeys(who))
    sums = [sum(value for value, one in zip(values, who, strict=True) if one == person) for person in people]
    return ratio(sums, [who.count(person) for person in people])


def clustered_rate(won: Sequence[bool], who: Sequence[str]) -> Estimate:
    """A rate with Wilson's interval for as many matches as would vary alike if each were another person's.

    That is never more than there are matches; where all went alike it is the number of people.
    """
    found, matches, people = clustered_mean(won, who), len(won), len(set(who))
    p = found.value
    if people < 2:
        return Estimate(p, 0.0, 1.0)
    error = (found.high - found.low) / 2 / t_quantile(people - 1)
    size = min(matches, p * (1 - p) / error**2) if error > 0 else people
    return Estimate(p, *wilson(p, size, t_quantile(people - 1)))


# --- Reporting ----------------------------------------------------------------------------------


def _policy(agent: str) -> str:
    """The name of an agent without its options: as published or ours, a policy is put beside the published one."""
    return agent.partition("(")[0]


def _agents(found: Sequence[Match | Answer]) -> list[str]:
    """The agents met, those of the document first and in its order."""
    places = {policy: place for place, policy in enumerate(published.TABLE_17)}
    return sorted({one.agent for one in found}, key=lambda agent: (places.get(_policy(agent), len(places)), agent))


def results_table(matches: Sequence[Match], people: Mapping[str, str]) -> Table:
    """Wins and mean differences of points (table 17)."""
    rows: list[list[Cell]] = []
    for agent in _agents(matches):
        mine = [match for match in matches if match.agent == agent]
        who = [people[match.record] for match in mine]
        wins, in_wins, in_losses = published.TABLE_17.get(_policy(agent), (None, None, None))
        was = None if wins is None else wins / published.STAGE_4_MATCHES
        rows.append([
            agent,
            f"{sum(match.ahead > 0 for match in mine)} of {len(mine)}",
            len(set(who)),
            Measured(clustered_rate([match.ahead > 0 for match in mine], who), was, percent=True),
            _difference([match for match in mine if match.ahead > 0], people, in_wins),
            _difference([match for match in mine if match.ahead < 0], people, in_losses),
        ])  # fmt: skip
    note = (
        "Mean difference of points in wins and in losses; 95% intervals over participants."
        f" Published: {published.STAGE_4_MATCHES} matches each, {published.STAGE_4_PEOPLE} people in all."
    )
    columns = ["agent", "won", "people", "share", "in wins", "in losses"]
    return Table("Table 17: against people", columns, rows, note)


def _difference(matches: Sequence[Match], people: Mapping[str, str], was: float | None) -> Cell:
    if not matches:
        return None
    who = [people[match.record] for match in matches]
    return Measured(clustered_mean([match.ahead for match in matches], who), was)


def _marks(agent: str, quality: str, answers: Sequence[Answer]) -> tuple[list[int], list[str], int]:
    """The marks given, who gave each, and how many were left blank."""
    mine = [answer for answer in answers if answer.agent == agent]
    given = [(mark, answer.participant or answer.record) for answer in mine if (mark := answer.marks[quality])]
    return [mark for mark, _ in given], [who for _, who in given], len(mine) - len(given)


def _spread(marks: Sequence[int]) -> tuple[int, int, int]:
    """How many answers were good (4, 5), in the middle (3) and bad (1, 2)."""
    return sum(mark > 3 for mark in marks), sum(mark == 3 for mark in marks), sum(mark < 3 for mark in marks)


def answers_table(answers: Sequence[Answer]) -> Table:
    """Good, middling and bad answers, beside what the text says of figures 18 to 21."""
    rows: list[list[Cell]] = []
    for agent in _agents(answers):
        for quality in QUALITIES:
            marks, who, blank = _marks(agent, quality, answers)
            was = published.STAGE_4_ANSWERS.get(_policy(agent), {}).get(quality)
            rows.append([
                agent, quality, Measured(clustered_mean(marks, who)) if marks else None,
                " / ".join(map(str, _spread(marks))), " / ".join(map(str, was)) if was else None, blank,
            ])  # fmt: skip
    columns = ["agent", "quality", "mean of 1 to 5", "good / middling / bad", "good / middling / bad (published)",
               "blank"]  # fmt: skip
    note = (
        "Good is 4 or 5; of predictability, unpredictable. The published counts are those the text gives."
        " 95% intervals over participants; blanks are counted and enter no mean."
    )
    return Table("What people answered", columns, rows, note)


def _said(experience: Mapping[str, str]) -> dict[str, int]:
    """How many participants have each experience, in the order of the words; those who said nothing last."""
    said = list(experience.values())
    return {words or "not said": said.count(words) for words in sorted(set(said), key=lambda w: (not w, w))}


def experience_table(experience: Mapping[str, str]) -> Table:
    """For how long people have played (figure 17)."""
    rows: list[list[Cell]] = [[words, count] for words, count in _said(experience).items()]
    return Table("Experience of Truco", ["experience", "people"], rows)


def experience_figure(experience: Mapping[str, str]) -> Figure:
    """For how long people have played, a bar for each answer."""
    counts = _said(experience)
    with plot_style():
        plot = Plot(figsize=(9.6, 0.8 + 0.45 * len(counts)))
        axes = plot.add_subplot()
        axes.barh(list(counts), list(counts.values()), color=[SOFT if w == "not said" else ACCENT for w in counts])
        axes.invert_yaxis()
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("people")
    return Figure("figure-17", plot, "Figure 17: for how long the participants have played Truco.")


def answers_figures(answers: Sequence[Answer]) -> list[Figure]:
    """One figure for each agent (18 to 21 for the published four); a policy met with several options has several."""
    known, agents = list(published.TABLE_17), _agents(answers)
    found = []
    for agent in agents:
        policy = _policy(agent)
        same = [other for other in agents if _policy(other) == policy]
        name = f"figure-{18 + known.index(policy)}" if policy in known else f"answers-{policy}"
        words = f"Figure {18 + known.index(policy)}" if policy in known else "Answers"
        number = f"-{same.index(agent) + 1}" if len(same) > 1 else ""
        caption = f"{words}: what people answered after a match against {agent}."
        found.append(Figure(name + number, _answers_plot(agent, answers), caption))
    return found


def _answers_plot(agent: str, answers: Sequence[Answer]) -> Plot:
    """How often each mark from 1 to 5 was given to an agent, quality by quality."""
    given = [_marks(agent, quality, answers)[0] for quality in QUALITIES]
    with plot_style():
        plot = Plot(figsize=(9.6, 2.6))
        axes = plot.add_subplot()
        begin = np.zeros(len(QUALITIES))
        for mark, colour in zip(SCALE, MARK_COLOURS, strict=True):
            counts = np.array([marks.count(mark) for marks in given])
            bars = axes.barh(QUALITIES, counts, left=begin, color=colour, label=str(mark))
            axes.bar_label(bars, [count or "" for count in counts], label_type="center", fontsize=8,
                           color="white" if mark in (SCALE[0], SCALE[-1]) else "black")  # fmt: skip
            begin = begin + counts
        axes.invert_yaxis()
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("answers")
        plot.legend(loc="outside upper right", ncols=len(SCALE), title="1 very bad, 5 very good (very unpredictable)")
    return plot
