"""Figures of stage 4: 17 to 21 beside the published ones, the comparison of the agents and the flow of participants."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from bolicho.agents.spec import short_names
from bolicho.arena.html_page import ACCENT, INK, LINE, LOSE, SOFT, plot_style
from bolicho.lab.cbr import published
from bolicho.lab.cbr.export_reader import QUALITIES, SCALE, AgentMatch, Answer, Export
from bolicho.lab.cbr.words import ENGLISH, Words, flow_words, words
from bolicho.lab.paired import Difference
from bolicho.lab.plots import drawing
from bolicho.lab.study import Figure
from bolicho.store.flow import Flow

MARK_COLOURS = (LOSE, "#e8b493", "#d8d8d2", "#94c1ab", ACCENT)  # marks 1 to 5
SPREAD = (("bad", LOSE), ("middling", "#d8d8d2"), ("good", ACCENT))  # from left to right, as the marks


def policy_of(agent: str) -> str:
    """Return the name of an agent without its options, which is that of the published policy to compare it with."""
    return agent.partition("(")[0]


def agents_of(found: Sequence[AgentMatch | Answer]) -> list[str]:
    """Return the agents in the order of the document, those that are not in it last."""
    places = {policy: place for place, policy in enumerate(published.TABLE_17)}
    return sorted({one.agent for one in found}, key=lambda agent: (places.get(policy_of(agent), len(places)), agent))


def quality_words(outcome: str, say: Words) -> str:
    """Return the name of a quality or of another outcome of a match."""
    return say(f"quality.{outcome}") if outcome in QUALITIES else say(outcome)


def marks_of(agent: str, quality: str, answers: Sequence[Answer]) -> tuple[list[float], list[str], int]:
    """Return the marks, the participant of each mark, and the number of blank answers."""
    mine = [answer for answer in answers if answer.agent == agent and answer.quality == quality]
    given = [(answer.mark, answer.participant) for answer in mine if answer.mark is not None]
    return [mark for mark, _ in given], [who for _, who in given], len(mine) - len(given)


# --- Figure 17 ----------------------------------------------------------------------------------


def experience_said(found: Export, say: Words, language: str) -> dict[str, int]:
    """Count the participants with each experience, in the order of the question; those without an answer last."""
    said = list(found.experience.values())
    texts = {value: text.get(language) or next(iter(text.values())) for value, text in found.choices.items()}
    texts |= {value: value for value in sorted({one for one in said if one is not None} - set(texts))}
    counts = {text: said.count(value) for value, text in texts.items()}
    return {**counts, **({say("unsaid"): said.count(None)} if None in said else {})}


def experience_figure(found: Export, say: Words = ENGLISH, language: str = "en") -> Figure:
    """Draw the participants' experience as bars."""
    counts = experience_said(found, say, language)
    with drawing(9.6, 0.8 + 0.45 * len(counts)) as (plot, axes):
        axes.barh(list(counts), list(counts.values()), color=[SOFT if w == say("unsaid") else ACCENT for w in counts])
        axes.invert_yaxis()
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(say("participants"))
    return Figure("figure-17", plot, say("experience.figure"))


# --- Figures 18 to 21 ---------------------------------------------------------------------------


def answers_figures(answers: Sequence[Answer], say: Words = ENGLISH) -> list[Figure]:
    """Draw a figure for each agent (18 to 21 for the published four), beside the published counts."""
    known, agents = list(published.TABLE_17), agents_of(answers)
    found = []
    for agent in agents:
        policy = policy_of(agent)
        same = [other for other in agents if policy_of(other) == policy]
        more = f"-{same.index(agent) + 1}" if len(same) > 1 else ""
        called = short_names(agents)[agent]
        if policy in known:
            number = 18 + known.index(policy)
            caption = f"{say('figure', number=number, agent=called)} {say('figure.published')}"
            found.append(Figure(f"figure-{number}{more}", _answers_plot(agent, called, answers, say), caption))
        else:
            caption = say("figure.other", agent=called)
            found.append(Figure(f"answers-{policy}{more}", _answers_plot(agent, called, answers, say), caption))
    return found


def _answers_plot(agent: str, called: str, answers: Sequence[Answer], say: Words) -> Plot:
    """Draw the counts of the marks that an agent got by quality, and on the right the published counts."""
    was = published.STAGE_4_ANSWERS.get(policy_of(agent))
    given = [marks_of(agent, quality, answers)[0] for quality in QUALITIES]
    with plot_style():
        plot = Plot(figsize=(9.6, 2.9))
        if was is None:
            ours = plot.add_subplot()
        else:
            ours, theirs = plot.subplots(1, 2, sharey=True, width_ratios=(3, 2))
            counts = {say(name): [was.get(quality, (0, 0, 0))[2 - place] for quality in QUALITIES]
                      for place, (name, _) in enumerate(SPREAD)}  # fmt: skip
            _stacked(theirs, say, counts, [colour for _, colour in SPREAD], {0, 2})
            theirs.set_title(say("figure.theirs", agent=policy_of(agent)))
            theirs.legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=3)
        marks = {str(mark): [sum(round(one) == mark for one in some) for some in given] for mark in SCALE}
        _stacked(ours, say, marks, MARK_COLOURS, {0, len(marks) - 1})
        ours.set_title(say("figure.ours", agent=called))
        ours.legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=len(marks), title=say("figure.scale"))
        ours.invert_yaxis()
    return plot


def _stacked(
    axes: Axes, say: Words, series: Mapping[str, Sequence[int]], colours: Sequence[str], dark: set[int]
) -> None:
    """Draw a stacked bar for each quality; `dark` are the places of colours that need white numbers."""
    begin = np.zeros(len(QUALITIES))
    names = [quality_words(quality, say) for quality in QUALITIES]
    for place, (name, counts) in enumerate(series.items()):
        bars = axes.barh(names, counts, left=begin, color=colours[place], label=name)
        colour = "white" if place in dark else "black"
        axes.bar_label(bars, [count or "" for count in counts], label_type="center", fontsize=8, color=colour)
        begin = begin + np.array(counts)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(say("figure.answers"))


# --- The agents compared ------------------------------------------------------------------------


def compared_figure(outcomes: Mapping[str, list[Difference]], agents: Sequence[str], say: Words) -> Figure | None:
    """Draw the comparison of the agents, a panel for each outcome; None if no difference has an interval."""
    called = short_names(agents)
    if not any(d.estimate.has_interval for pairs in outcomes.values() for d in pairs):
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
            axes.set_xlabel(quality_words(outcome, say))
            axes.grid(axis="y", visible=False)
            axes.xaxis.set_major_locator(MaxNLocator(3))
        panels[0].set_yticks(range(len(names)), names)
        panels[0].invert_yaxis()
    return Figure("compared", plot, say("compared.figure"))


# --- Flow of participants -----------------------------------------------------------------------

_STAGES = (("invited", ("unanswered", "declined")), ("consented", ("withdrawn", "lost", "under_way", "replaced")),
           ("finished", ()), ("analysed", ()))  # fmt: skip


def flow_figure(flow: Flow, analysed: int, language: str) -> Figure:
    """Draw the flow of participants as in a CONSORT diagram: stages downwards, on the right those who left."""
    counts = {**vars(flow), "analysed": analysed}
    box = {"boxstyle": "round,pad=0.5", "facecolor": "none", "edgecolor": SOFT}

    def said(stage: str) -> str:
        return f"{counts[stage]}  {flow_words(language, stage)}"

    with drawing(9.6, 5.2) as (plot, axes):
        axes.set_axis_off()
        axes.set_xlim(0, 10)
        axes.set_ylim(-3.6, 0.6)
        for row, (stage, gone) in enumerate(_STAGES):
            axes.text(2.4, -row, said(stage), ha="center", va="center", bbox=box, color=INK, wrap=True)
            if row:
                axes.annotate(
                    "", (2.4, -row + 0.18), (2.4, -row + 0.82), arrowprops={"arrowstyle": "->", "color": SOFT}
                )
            if gone:
                lines = "\n".join(said(one) for one in gone)
                axes.annotate("", (5.3, -row - 0.5), (2.4, -row - 0.5), arrowprops={"arrowstyle": "->", "color": LINE})
                axes.text(5.5, -row - 0.5, lines, ha="left", va="center", bbox=box, color=INK)
    return Figure("flow", plot, words(language)("flow.caption"))
