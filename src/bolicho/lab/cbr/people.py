"""Stage 4 of Paulus 2020: agents against people, from the export of a study with people.

`bolicho study export` writes the folder that is read here. The unit of sampling is the participant: intervals are over
participants, and agents are compared within them (`lab/paired.py`, `lab/ordinal.py`). Scripted participants are left
out by default.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np

from bolicho.agents.spec import short_names
from bolicho.errors import BadInput
from bolicho.lab.cbr import published
from bolicho.lab.cbr.export_reader import QUALITIES, AgentMatch, Answer, Export, ParticipantMatch, read_export
from bolicho.lab.cbr.people_figures import (
    agents_of,
    answers_figures,
    compared_figure,
    experience_figure,
    experience_said,
    flow_figure,
    marks_of,
    policy_of,
    quality_words,
)
from bolicho.lab.cbr.words import ENGLISH, Words, flow_words, signal_words, words
from bolicho.lab.ordinal import Ordinal, as_superiority, ordinal_differences
from bolicho.lab.paired import Difference, differences
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table
from bolicho.stats import Estimate, ratio, t_quantile, wilson

WON, AHEAD = "won", "ahead"
FITS = ", ".join(f"{won + lost} ({won} + {lost}, {name})" for name, (won, lost) in published.TABLE_17_FITS.items())


def run(effort: Effort) -> Findings:
    """Tabulate wins, point differences and answers beside table 17 and figures 17 to 21, and compare the agents."""
    if effort.records is None:
        raise BadInput(
            "this study reads matches against people: give the folder of `bolicho study export` with --records"
            " (`bolicho study rehearse` makes one with scripted participants)"
        )
    found, say = read_export(effort.records, effort.scripted), words(effort.language)
    tables, figures = _tables(found, say, effort.language), _figures(found, say, effort.language)
    if effort.scripted:
        tables = [replace(table, title=f"{table.title} ({say('scripted')})") for table in tables]
        figures = [_marked(figure, say) for figure in figures]
    return Findings(tables, figures, _notes(found, say), say("title"), say("source"))


def _notes(found: Export, say: Words) -> list[str]:
    people = {match.participant for match in found.matches}
    notes = [
        f"{say('matches', matches=len(found.matches), people=len(people))} {say('left_out', **asdict(found.left_out))}"
    ]
    called = short_names(agents_of(found.matches))
    notes += [f"{short}: `{spec}`" for spec, short in called.items() if short != spec]
    if found.meetings:
        notes.append(say("meetings", count=len(found.meetings)))
    notes += [say("table17", matches=published.STAGE_4_MATCHES, fits=FITS), say("linear"), say("assumes")]
    return [*notes, say("ordinal_model")] if found.answers else notes


def _tables(found: Export, say: Words, language: str) -> list[Table]:
    tables = [results_table(found.matches, say)]
    if found.answers:
        tables.append(answers_table(found.answers, say))
    tables.append(compared_table(found, say))
    models = {quality: model for quality in QUALITIES if (model := ordinal(found, quality)) is not None}
    if models:
        tables.append(ordinal_table(found, models, say))
        tables.append(covariate_table(models, say))
    if found.items:
        tables.append(items_table(found, say))
    if found.experience:
        tables.append(experience_table(found, say, language))
    if found.flow is not None:
        tables.append(flow_table(found, say, language))
    if found.signals:
        tables.append(signals_table(found, say, language))
    if found.meetings:
        tables.append(meetings_table(found.meetings, say))
    if found.about_people:
        tables.append(replace(answers_table(found.about_people, say), title=say("answers.people")))
    return tables


def _figures(found: Export, say: Words, language: str) -> list[Figure]:
    analysed = len({match.participant for match in found.matches})
    figures = [] if found.flow is None else [flow_figure(found.flow, analysed, language)]
    picture = compared_figure(compared(found), agents_of(found.matches), say)
    figures += [] if picture is None else [picture]
    figures += [experience_figure(found, say, language)] if found.experience else []
    return figures + answers_figures(found.answers, say)


def _marked(figure: Figure, say: Words) -> Figure:
    """Mark a figure as containing scripted participants."""
    figure.plot.suptitle(say("scripted"), x=0.01, ha="left", fontsize=9)
    return replace(figure, caption=f"{figure.caption.removesuffix('.')} ({say('scripted')}).")


# --- Intervals over participants ----------------------------------------------------------------


def clustered_mean(values: Sequence[float], who: Sequence[str]) -> Estimate:
    """Return a mean with an interval over participants; without an interval if all values belong to one participant."""
    people = list(dict.fromkeys(who))
    sums = [sum(value for value, one in zip(values, who, strict=True) if one == person) for person in people]
    return ratio(sums, [who.count(person) for person in people])


def clustered_rate(won: Sequence[bool], who: Sequence[str]) -> Estimate:
    """Return a rate with Wilson's interval for the effective number of matches.

    That is the number of independent matches, at most all, whose rate would vary as much as this one does between
    participants. If all matches ended alike, it is the number of participants.
    """
    found, matches, people = clustered_mean(won, who), len(won), len(set(who))
    p = found.value
    if people < 2:
        return Estimate(p, 0.0, 1.0)
    error = (found.high - found.low) / 2 / t_quantile(people - 1)
    size = min(matches, p * (1 - p) / error**2) if error > 0 else people
    return Estimate(p, *wilson(p, size, t_quantile(people - 1)))


def clustered_mark(marks: Sequence[float], who: Sequence[str], points: int = 5) -> Estimate:
    """Return the mean of marks from 1 to `points` with an interval over participants inside the scale.

    It is Wilson's, for the number of marks of which a rate would vary as much between participants as this mean does.
    """
    shares = [(mark - 1) / (points - 1) for mark in marks]
    found, people = clustered_mean(shares, who), len(set(who))
    if people < 2:
        return Estimate(1 + (points - 1) * found.value)
    error = (found.high - found.low) / 2 / t_quantile(people - 1)
    size = found.value * (1 - found.value) / error**2 if error > 0 and 0 < found.value < 1 else people
    low, high = wilson(found.value, size, t_quantile(people - 1))
    return Estimate(*(1 + (points - 1) * share for share in (found.value, low, high)))


# --- Results ------------------------------------------------------------------------------------


def results_table(matches: Sequence[AgentMatch], say: Words = ENGLISH) -> Table:
    """Tabulate wins and mean differences of points (table 17)."""
    rows: list[list[Cell]] = []
    called = short_names(agents_of(matches))
    for agent in agents_of(matches):
        mine = [match for match in matches if match.agent == agent]
        who = [match.participant for match in mine]
        wins, in_wins, in_losses = published.TABLE_17.get(policy_of(agent), (None, None, None))
        was = None if wins is None else wins / published.STAGE_4_MATCHES
        rows.append([
            called[agent],
            say("of", won=sum(match.ahead > 0 for match in mine), matches=len(mine)),
            len(set(who)),
            Measured(clustered_rate([match.ahead > 0 for match in mine], who), was, percent=True),
            _difference([match for match in mine if match.ahead > 0], in_wins),
            _difference([match for match in mine if match.ahead < 0], in_losses),
        ])  # fmt: skip
    note = say("results.note", matches=published.STAGE_4_MATCHES, people=published.STAGE_4_PEOPLE)
    columns = [say(name) for name in ("agent", "won", "participants", "share", "in_wins", "in_losses")]
    return Table(say("results"), columns, rows, note)


def _difference(matches: Sequence[AgentMatch], was: float | None) -> Cell:
    if not matches:
        return None
    return Measured(clustered_mean([one.ahead for one in matches], [one.participant for one in matches]), was)


def meetings_table(meetings: Sequence[ParticipantMatch], say: Words = ENGLISH) -> Table:
    """Tabulate the matches between participants."""
    rows: list[list[Cell]] = [
        [one.match, *one.participants, say("points.to", one=one.points[0], other=one.points[1]),
         one.winner or say("nobody")]
        for one in meetings
    ]  # fmt: skip
    columns = [say(name) for name in ("match", "participant", "other", "points", "won_by")]
    return Table(say("meetings.title"), columns, rows, say("meetings.note"))


def answers_table(answers: Sequence[Answer], say: Words = ENGLISH) -> Table:
    """Tabulate good, middling and bad answers, beside those that the text gives for figures 18 to 21."""
    rows: list[list[Cell]] = []
    called = short_names(agents_of(answers))
    for agent in agents_of(answers):
        for quality in QUALITIES:
            marks, who, blank = marks_of(agent, quality, answers)
            was = published.STAGE_4_ANSWERS.get(policy_of(agent), {}).get(quality)
            rows.append([
                called[agent], quality_words(quality, say), Measured(clustered_mark(marks, who)) if marks else None,
                " / ".join(map(str, _spread(marks))), " / ".join(map(str, was)) if was else None, blank,
            ])  # fmt: skip
    columns = [say(name) for name in ("agent", "quality", "mean", "spread", "spread.published", "blank")]
    return Table(say("answers"), columns, rows, say("answers.note"))


def _spread(marks: Sequence[float]) -> tuple[int, int, int]:
    """Count good (above 3), middling (3) and bad marks."""
    return sum(mark > 3 for mark in marks), sum(mark == 3 for mark in marks), sum(mark < 3 for mark in marks)


# --- Comparison of the agents -------------------------------------------------------------------


def compared(found: Export) -> dict[str, list[Difference]]:
    """Compare the agents in pairs for each outcome, adjusted for participant and place."""
    units: dict[str, tuple[Sequence[AgentMatch | Answer], list[float]]] = {
        AHEAD: (found.matches, [float(match.ahead) for match in found.matches]),
        WON: (found.matches, [float(match.ahead > 0) for match in found.matches]),
    }
    for quality in QUALITIES:
        given = _given(found, quality)
        units[quality] = given, [one.mark or 0.0 for one in given]
    agents = agents_of(found.matches)
    return {
        outcome: [
            replace(d, estimate=_clipped(d.estimate, WIDEST.get(outcome, WIDEST_MARK)))
            for d in differences(values, *_met(some), agents)
        ]
        for outcome, (some, values) in units.items()
        if some
    }


WIDEST, WIDEST_MARK = {AHEAD: math.inf, WON: 1.0}, 4.0
"""Largest differences that are possible: of points, of shares of wins, and of marks from 1 to 5."""


def _clipped(estimate: Estimate, most: float) -> Estimate:
    """Return a difference with its interval cut to what is possible."""
    return Estimate(estimate.value, max(estimate.low, -most), min(estimate.high, most))


def _given(found: Export, quality: str) -> list[Answer]:
    return [one for one in found.answers if one.quality == quality and one.mark is not None]


def _met(some: Sequence[AgentMatch | Answer]) -> tuple[list[str], list[str], list[int]]:
    return [one.participant for one in some], [one.agent for one in some], [one.place for one in some]


def compared_table(found: Export, say: Words = ENGLISH) -> Table:
    """Tabulate the comparison of the agents by the linear model."""
    called = short_names(agents_of(found.matches))
    rows: list[list[Cell]] = []
    for outcome, pairs in compared(found).items():
        for d in pairs:
            shown = None if math.isnan(d.estimate.value) else Measured(d.estimate, percent=outcome == WON)
            size = None if math.isnan(d.size) else f"{d.size:.2f}"
            rows.append([quality_words(outcome, say), f"{called[d.one]} - {called[d.other]}", shown, size,
                         _chance(d.p), _chance(d.holm)])  # fmt: skip
    columns = [*(say(name) for name in ("outcome", "agents", "difference", "effect")), "p", "p (Holm)"]
    return Table(say("compared"), columns, rows, say("compared.note"))


def ordinal(found: Export, quality: str) -> Ordinal | None:
    """Fit the ordinal model of a quality, with experience as a covariate."""
    given = _given(found, quality)
    marks = [round(100 * (one.mark or 0)) for one in given]  # only their order counts
    return ordinal_differences(marks, *_met(given), agents_of(found.matches), found.steps())


def ordinal_table(found: Export, models: dict[str, Ordinal], say: Words = ENGLISH) -> Table:
    """Tabulate the comparison of the agents by the ordinal model."""
    called = short_names(agents_of(found.matches))
    rows: list[list[Cell]] = []
    for quality, model in models.items():
        for d in model.differences:
            is_known = not math.isnan(d.estimate.value)
            cells: list[Cell] = [Measured(d.estimate), Measured(as_superiority(d.estimate), percent=True)]
            rows.append([quality_words(quality, say), f"{called[d.one]} - {called[d.other]}",
                         *(cells if is_known else [None, None]), _chance(d.p), _chance(d.holm)])  # fmt: skip
    columns = [*(say(name) for name in ("quality", "agents", "log_odds", "superiority")), "p", "p (Holm)"]
    return Table(say("ordinal"), columns, rows, say("ordinal.note"))


def covariate_table(models: dict[str, Ordinal], say: Words = ENGLISH) -> Table:
    """Tabulate the effect of experience, and how much participants differ."""
    rows: list[list[Cell]] = [
        [quality_words(quality, say), None if math.isnan(model.covariate.value) else Measured(model.covariate),
         model.spread]
        for quality, model in models.items()
    ]  # fmt: skip
    columns = [say(name) for name in ("quality", "step", "sd")]
    return Table(say("experience.effect"), columns, rows, say("experience.effect.note"))


def _chance(p: float) -> str | None:
    if math.isnan(p):
        return None
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


# --- Participants -------------------------------------------------------------------------------


def experience_table(found: Export, say: Words = ENGLISH, language: str = "en") -> Table:
    """Tabulate the participants' experience (figure 17)."""
    rows: list[list[Cell]] = [[text, count] for text, count in experience_said(found, say, language).items()]
    return Table(say("experience"), [say("experience.column"), say("participants")], rows)


def items_table(found: Export, say: Words = ENGLISH) -> Table:
    """Tabulate how well the items of each quality agree."""
    rows: list[list[Cell]] = [
        [quality_words(quality, say), ", ".join(pages[0]), len(pages), cronbach(pages)]
        for quality, pages in found.items.items()
    ]
    columns = [say(name) for name in ("quality", "items", "pages", "alpha")]
    return Table(say("scales"), columns, rows, say("scales.note"))


def cronbach(pages: Sequence[Mapping[str, float]]) -> float | None:
    """Return Cronbach's alpha of items over pages; None if the pages do not vary."""
    marks = np.array([[page[item] for item in pages[0]] for page in pages])
    if len(marks) < 2 or (whole := float(marks.sum(axis=1).var(ddof=1))) == 0:
        return None
    items = marks.shape[1]
    return float(items / (items - 1) * (1 - float(marks.var(axis=0, ddof=1).sum()) / whole))


def flow_table(found: Export, say: Words = ENGLISH, language: str = "en") -> Table:
    """Tabulate the flow of participants."""
    assert found.flow is not None
    analysed = len({match.participant for match in found.matches})
    stages = {**asdict(found.flow), "analysed": analysed}
    rows: list[list[Cell]] = [[flow_words(language, stage), count] for stage, count in stages.items()]
    return Table(say("flow"), [say("stage"), say("participants")], rows, say("flow.caption"))


def signals_table(found: Export, say: Words = ENGLISH, language: str = "en") -> Table:
    """Tabulate the signals of careless or automated participation."""
    rows: list[list[Cell]] = []
    for signal in dict.fromkeys(row["signal"] for row in found.signals):
        judged = [row for row in found.signals if row["signal"] == signal]
        seen = [row["participant"] for row in judged if row["count"]]
        rows.append([signal_words(language, signal), len(seen), len(judged), ", ".join(seen) or None])
    columns = [say(name) for name in ("signal", "participants", "judged", "codes")]
    return Table(say("signals"), columns, rows, say("signals.note"))
