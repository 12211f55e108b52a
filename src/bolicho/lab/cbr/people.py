"""Stage 4 of Paulus 2020: agents against people, from the export of a study with people.

`bolicho study export` writes the folder that is read here. The unit of sampling is the participant: intervals are over
participants, and agents are compared within them (`lab/paired.py`). Scripted participants are left out by default.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from bolicho.arena.html_page import ACCENT, LOSE, SOFT, plot_style
from bolicho.errors import BadInput
from bolicho.lab.cbr import published
from bolicho.lab.cbr.export_reader import (
    NOT_SAID,
    QUALITIES,
    SCALE,
    AgentMatch,
    Answer,
    Export,
    ParticipantMatch,
    read_export,
)
from bolicho.lab.paired import IN_WORDS, Difference, differences
from bolicho.lab.plots import drawing
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table
from bolicho.stats import Estimate, ratio, t_quantile, wilson

MARK_COLOURS = (LOSE, "#e8b493", "#d8d8d2", "#94c1ab", ACCENT)  # marks 1 to 5

WON = "won"
SCRIPTED = "scripted participants among them"
TABLE_17 = (
    f"Table 17 as published cannot be right in every column: it counts wins over {published.STAGE_4_MATCHES} matches of"
    " each agent, and its mean differences, rounded to two places, fit "
    + ", ".join(f"{won + lost} ({won} + {lost}, {name})" for name, (won, lost) in published.TABLE_17_FITS.items())
    + ": the fewest matches, in wins and losses, with no fewer wins than it counts."
)


def run(effort: Effort) -> Findings:
    """Tabulate wins, point differences and answers beside table 17 and figures 17 to 21, and compare the agents."""
    if effort.records is None:
        raise BadInput(
            "this study reads matches against people: give the folder of `bolicho study export` with --records"
            " (`bolicho study rehearse` makes one with scripted participants)"
        )
    found = read_export(effort.records, effort.scripted)
    people = {match.participant for match in found.matches}
    notes = [
        f"{len(found.matches)} finished matches against {len(people)} participants. {found.left_out}",
        TABLE_17,
        *IN_WORDS,
    ]
    if found.meetings:
        notes.insert(1, f"{len(found.meetings)} matches between participants stand apart: no agent played in them.")
    tables = [results_table(found.matches), compared_table(found)]
    figures = [] if (picture := compared_figure(found)) is None else [picture]
    if found.experience:
        tables.append(experience_table(found))
        figures.append(experience_figure(found))
    if found.answers:
        tables.insert(1, answers_table(found.answers))
        figures += answers_figures(found.answers)
    if found.meetings:
        tables.append(meetings_table(found.meetings))
    if found.about_people:
        tables.append(replace(answers_table(found.about_people), title="What people answered about other participants"))
    if effort.scripted:
        tables = [replace(table, title=f"{table.title} ({SCRIPTED})") for table in tables]
        figures = [_marked(figure) for figure in figures]
    return Findings(tables=tables, figures=figures, notes=notes)


def _marked(figure: Figure) -> Figure:
    """Mark a figure as containing scripted participants."""
    figure.plot.axes[0].set_title(SCRIPTED, loc="left", fontsize=9)
    return replace(figure, caption=f"{figure.caption.removesuffix('.')} ({SCRIPTED}).")


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


# --- Reporting ----------------------------------------------------------------------------------


def _policy(agent: str) -> str:
    """Return the name of an agent without its options, which is that of the published policy to compare it with."""
    return agent.partition("(")[0]


def _agents(found: Sequence[AgentMatch | Answer]) -> list[str]:
    """Return the agents in the order of the document, those that are not in it last."""
    places = {policy: place for place, policy in enumerate(published.TABLE_17)}
    return sorted({one.agent for one in found}, key=lambda agent: (places.get(_policy(agent), len(places)), agent))


def _called(agents: Sequence[str]) -> dict[str, str]:
    """Return short names of agents: the policy, or the whole spec if several agents have the same policy."""
    policies = [_policy(agent) for agent in agents]
    return {agent: agent if policies.count(_policy(agent)) > 1 else _policy(agent) for agent in agents}


def results_table(matches: Sequence[AgentMatch]) -> Table:
    """Tabulate wins and mean differences of points (table 17)."""
    rows: list[list[Cell]] = []
    for agent in _agents(matches):
        mine = [match for match in matches if match.agent == agent]
        who = [match.participant for match in mine]
        wins, in_wins, in_losses = published.TABLE_17.get(_policy(agent), (None, None, None))
        was = None if wins is None else wins / published.STAGE_4_MATCHES
        rows.append([
            agent,
            f"{sum(match.ahead > 0 for match in mine)} of {len(mine)}",
            len(set(who)),
            Measured(clustered_rate([match.ahead > 0 for match in mine], who), was, percent=True),
            _difference([match for match in mine if match.ahead > 0], in_wins),
            _difference([match for match in mine if match.ahead < 0], in_losses),
        ])  # fmt: skip
    note = (
        "Mean difference of points in wins and in losses; 95% intervals over participants."
        f" Published: {published.STAGE_4_MATCHES} matches each, {published.STAGE_4_PEOPLE} people in all."
    )
    columns = ["agent", "won", "participants", "share", "in wins", "in losses"]
    return Table("Table 17: against people", columns, rows, note)


def _difference(matches: Sequence[AgentMatch], was: float | None) -> Cell:
    if not matches:
        return None
    return Measured(clustered_mean([one.ahead for one in matches], [one.participant for one in matches]), was)


def meetings_table(meetings: Sequence[ParticipantMatch]) -> Table:
    """Tabulate the matches between participants."""
    rows: list[list[Cell]] = [
        [one.match, *one.participants, f"{one.points[0]} to {one.points[1]}", one.winner or "nobody"]
        for one in meetings
    ]
    note = "They are in no other table and not in the comparison of the agents."
    return Table("Matches between participants", ["match", "participant", "other participant", "points", "won by"],
                 rows, note)  # fmt: skip


def compared(found: Export) -> dict[str, list[Difference]]:
    """Compare the agents in pairs for each outcome, adjusted for participant and place."""
    units: dict[str, tuple[Sequence[AgentMatch | Answer], list[float]]] = {
        "points ahead": (found.matches, [float(match.ahead) for match in found.matches]),
        WON: (found.matches, [float(match.ahead > 0) for match in found.matches]),
    }
    for quality in QUALITIES:
        given = [one for one in found.answers if one.quality == quality and one.mark is not None]
        units[quality] = given, [float(one.mark or 0) for one in given]
    agents = _agents(found.matches)
    return {
        outcome: differences(
            values, [one.participant for one in some], [one.agent for one in some], [one.place for one in some], agents
        )
        for outcome, (some, values) in units.items()
        if some
    }


def compared_table(found: Export) -> Table:
    """Tabulate the comparison of the agents."""
    called = _called(_agents(found.matches))
    rows: list[list[Cell]] = []
    for outcome, pairs in compared(found).items():
        for d in pairs:
            shown = None if math.isnan(d.estimate.value) else Measured(d.estimate, percent=outcome == WON)
            rows.append([outcome, f"{called[d.one]} - {called[d.other]}", shown, _chance(d.p), _chance(d.holm)])
    note = (
        "Differences of two agents within participants, allowing for the place in the order; 95% intervals clustered by"
        " participant. A dash: the matches cannot tell."
    )
    return Table("The agents compared", ["outcome", "agents", "difference", "p", "p (Holm)"], rows, note)


def compared_figure(found: Export) -> Figure | None:
    """Draw the comparison of the agents, a panel for each outcome; None if no difference has an interval."""
    called, outcomes = _called(_agents(found.matches)), compared(found)
    known = [any(d.estimate.has_interval for d in pairs) for pairs in outcomes.values()]
    if not any(known):
        return None
    with plot_style():
        names = [f"{called[d.one]} - {called[d.other]}" for d in next(iter(outcomes.values()))]
        plot = Plot(figsize=(9.6, 1.1 + 0.3 * len(names)))
        panels = plot.subplots(1, len(outcomes), sharey=True, squeeze=False)[0]
        for axes, (outcome, pairs) in zip(panels, outcomes.items(), strict=True):
            axes.axvline(0, color=SOFT, linewidth=1)
            for place, d in enumerate(pairs):
                axes.plot([d.estimate.low, d.estimate.high], [place, place], color=ACCENT, linewidth=2)
                axes.plot([d.estimate.value], [place], "o", color=ACCENT, markersize=5)
            axes.set_xlabel(outcome)
            axes.grid(axis="y", visible=False)
            axes.xaxis.set_major_locator(MaxNLocator(3))
        panels[0].set_yticks(range(len(names)), names)
        panels[0].invert_yaxis()
    caption = "The agents compared: the first minus the second, within participants, with 95% intervals."
    return Figure("compared", plot, caption)


def _chance(p: float) -> str | None:
    if math.isnan(p):
        return None
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _marks(agent: str, quality: str, answers: Sequence[Answer]) -> tuple[list[int], list[str], int]:
    """Return the marks, the participant of each mark, and the number of blank answers."""
    mine = [answer for answer in answers if answer.agent == agent and answer.quality == quality]
    given = [(answer.mark, answer.participant) for answer in mine if answer.mark is not None]
    return [mark for mark, _ in given], [who for _, who in given], len(mine) - len(given)


def _spread(marks: Sequence[int]) -> tuple[int, int, int]:
    """Count good (4, 5), middling (3) and bad (1, 2) marks."""
    return sum(mark > 3 for mark in marks), sum(mark == 3 for mark in marks), sum(mark < 3 for mark in marks)


def answers_table(answers: Sequence[Answer]) -> Table:
    """Tabulate good, middling and bad answers, beside those that the text gives for figures 18 to 21."""
    rows: list[list[Cell]] = []
    called = _called(_agents(answers))
    for agent in _agents(answers):
        for quality in QUALITIES:
            marks, who, blank = _marks(agent, quality, answers)
            was = published.STAGE_4_ANSWERS.get(_policy(agent), {}).get(quality)
            rows.append([
                called[agent], quality, Measured(clustered_mean(marks, who)) if marks else None,
                " / ".join(map(str, _spread(marks))), " / ".join(map(str, was)) if was else None, blank,
            ])  # fmt: skip
    columns = ["agent", "quality", "mean of 1 to 5", "good / middling / bad", "good / middling / bad (published)",
               "blank"]  # fmt: skip
    note = (
        "Good is 4 or 5; of predictability, unpredictable. The published counts are those the text gives."
        " 95% intervals over participants; blanks are counted and enter no mean."
    )
    return Table("What people answered", columns, rows, note)


def _said(found: Export) -> dict[str, int]:
    """Count the participants with each experience, in the order of the question; those without an answer last."""
    said = list(found.experience.values())
    others = sorted(set(said) - {*found.words, NOT_SAID})
    return {words: said.count(words) for words in [*found.words, *others, *([NOT_SAID] if NOT_SAID in said else [])]}


def experience_table(found: Export) -> Table:
    """Tabulate the participants' experience (figure 17)."""
    rows: list[list[Cell]] = [[words, count] for words, count in _said(found).items()]
    return Table("Experience of Truco", ["experience", "participants"], rows)


def experience_figure(found: Export) -> Figure:
    """Draw the participants' experience as bars."""
    counts = _said(found)
    with drawing(9.6, 0.8 + 0.45 * len(counts)) as (plot, axes):
        axes.barh(list(counts), list(counts.values()), color=[SOFT if w == NOT_SAID else ACCENT for w in counts])
        axes.invert_yaxis()
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("participants")
    return Figure("figure-17", plot, "Figure 17: for how long the participants have played Truco.")


def answers_figures(answers: Sequence[Answer]) -> list[Figure]:
    """Draw a figure for each agent (18 to 21 for the published four); a policy with several options gets several."""
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
    """Draw the counts of the marks that an agent got, by quality."""
    given = [_marks(agent, quality, answers)[0] for quality in QUALITIES]
    with drawing(9.6, 2.6) as (plot, axes):
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
