"""The five documents, and all their tables and figures with results, each with the study that reproduces it and the
outcome. `docs/references.md` and `bolicho lab list` are written from here."""
# ruff: noqa: E501 (rows of a table)

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """Bibliographic data of a document, from its title page."""

    cited: str  # short name in pages and reports
    authors: str
    title: str
    english: str  # English title, if the original is in another language
    kind: str
    place: str
    year: str


WORKS = (
    Work(
        "Paulus 2020",
        "Gustavo Bathu Paulus",
        "Casos e clusters no desenvolvimento de políticas de reuso para tomada de decisão em jogos de cartas",
        "Cases and clusters in the development of reuse policies for decision making in card games",
        "Master's dissertation in computer science, supervised by Luís Alvaro de Lima Silva",
        "Universidade Federal de Santa Maria, Brazil",
        "2020",
    ),
    Work(
        "Rossato 2020",
        "Lana Bertoldo Rossato",
        "Modelagem matemática e desenvolvimento de um agente baseado em modelos markovianos",
        "Mathematical modelling and development of an agent based on Markov models",
        "Bachelor's thesis in computer science, supervised by Joaquim Vinicius Carvalho Assunção",
        "Universidade Federal de Santa Maria, Brazil",
        "2020",
    ),
    Work(
        "Paulus et al.",
        "Gustavo B. Paulus, Daniel P. Vargas, Joaquim V. C. Assunção, Luis A. L. Silva",
        "Investigating Cases and Clusters-Based Reuse Policies for Card-Playing Agents",
        "",
        "Paper",
        "Federal Institute of Education, Science and Technology of Rio Grande do Sul, Ibirubá; "
        "Federal University of Santa Maria, Brazil",
        "without a year on its first page; the newest work it cites is of 2022",
    ),
    Work(
        "Pinto 2018",
        "Ivan de Jesus Pereira Pinto",
        "Inteligência Artificial aplicada ao Jogo de Dominó",
        "Artificial intelligence applied to the game of dominoes",
        "Bachelor's thesis in computer science, supervised by Luciano Reis Coutinho",
        "Universidade Federal do Maranhão, São Luís, Brazil",
        "2018",
    ),
    Work(
        "Pereira 2021",
        "Gabriel Gomes Pereira",
        "Desenvolvimento de agentes inteligentes para o jogo 7 Wonders",
        "Development of intelligent agents for the game 7 Wonders",
        "Bachelor's thesis in information systems, supervised by Joaquim Vinicius Carvalho Assunção",
        "Universidade Federal de Santa Maria, Brazil",
        "2021",
    ),
)

OUTCOMES = ("agrees", "differs", "undecided", "needs people", "prints no numbers")
"""Undecided: it comes out, in whole or in part, but by definitions of this project where the document gives none."""

DEFINITIONS = {
    "hands": "the case bases hold hands of five scripted styles; those of the research group, of people, are not public",
    "membership": "a hand belongs to the scenarios of every round, and a suicide move spoils the decisions of its kind; inferred from the totals of appendix B",
    "twelve groups": "the elbow is looked for among 1 to 12 groups",
    "card counts": "the first counts of the orders of cards: 6 on the diagonal, one less a step (figure 5.6 a is drawn, not printed)",
    "levels": "the first counts of the levels of cards: the shares of the 9,880 hands (figure 5.6 b is drawn, not printed)",
    "questions": "questions in a row are asked from the lowest bet up, and the first no stops",
    "bluff": "a bluff is a call of an opponent whose cards all turn out weaker than one's own",
    "weakest pair": "the weakest pair and flor begin without defeats; inferred from figure 5.7 and appendix A",
    "contra flor": 'its minimum is that of an envido, 0.4; inferred, since it goes "the same way" (section 5.2)',
    "Sarsa": "length and step of its training",
    "double": "the rule plays its heaviest double, not the first in its hand",
    "all fives": "the value of the spinner, and what is rounded",
    "horizon": "alpha-beta values its horizon by the points won so far",
    "trees": "their constant of exploration",
    "speed": "a slow program does 20,000 nodes or 2,000 iterations a second",
    "seconds": "the units of time of PIMC are seconds of a processor",
    "oracle": "it solves, or has 1 second a move",
    "weights": "those of 55 of the 65 cards",
    "imitation": "batches of 64; a fifth of the games for testing; the nets that play stop early",
    "widths": "layers of 70 to 95 units are tried in steps of 5",
    "Q-learning": "5 points off for each card sold beyond two in an age, the twentieth input, the next turn's value over legal actions; the net that plays learned after every game",
}
"""Definitions of this project that results needed, since their documents do not give them."""

MARK = "†"
LEGEND = (
    f"{MARK} Its values are not printed, or only totals: what the text says of order, shape or behaviour was compared."
)


@dataclass(frozen=True)
class Item:
    """A table or figure with results: its content, the study that reproduces it, and the outcome."""

    work: str
    name: str
    shows: str
    study: str  # a name of `bolicho lab list`, or the test that checks it
    outcome: str  # one of OUTCOMES
    ours: tuple[str, ...]  # names of DEFINITIONS that it needed
    why: str
    behaviour: bool = False  # compared by order, shape or behaviour as the text describes, since no values are printed

    @property
    def marked(self) -> str:
        """The outcome with its mark."""
        return f"{self.outcome} {MARK}" if self.behaviour else self.outcome


_ROWS = """
Paulus 2020 | table 5 | a similarity worked out by hand | tests/agents/cbr/test_retrieve.py | agrees | - | 0.9759615 exactly; 0.975975 is printed, since it was rounded on the way (within 2e-5)
Paulus 2020 | figure 5 | the elbow of one scenario | cbr-clusters | differs † | hands, membership, twelve groups | the curves are smooth, and other hands move the elbow: 1 of 14 scenarios has the printed number of groups
Paulus 2020 | table 12 | group shares of one scenario | cbr-clusters | differs | hands, membership, twelve groups | other hands: 27.01, 15.33, 13.86, 10.93% (41.96, 27.78, 23.75, 6.52% published; the printed 0.05% is a slip for 6.52% of appendix B)
Paulus 2020 | figure 10 | twenty policies, initial base | cbr-stage-1 | differs † | hands, membership | pvcnps is 8th, 17th and 4th by the three readings of PV; two-step policies lead with the bar alone
Paulus 2020 | figure 11 | learned base against initial | cbr-stage-2 | undecided | hands, membership | the learned base is better in every reading, 53.9 to 80.1% (57.4% published); other policies fail to gain
Paulus 2020 | figure 12 | ten policies, learned base | cbr-stage-3 | differs † | hands, membership | nps above half in every reading of PV (63.9 to 66.3%), pvs in two, pvcnps and pvcs in none
Paulus 2020 | table 16 | mean differences of points | cbr-stage-3 | differs | hands, membership | pvcnps wins by less and loses by more than nps; with the bar three of eight means lie in the intervals (7.44, -7.04, -6.03)
Paulus 2020 | figure 13 | pvcnps by opponent | cbr-stage-3 | prints no numbers | hands, membership | drawn beside the published order of wins
Paulus 2020 | figure 14 | nps by opponent | cbr-stage-3 | prints no numbers | hands, membership | drawn beside the published order of wins
Paulus 2020 | figure 15 | pvcs by opponent | cbr-stage-3 | prints no numbers | hands, membership | drawn beside the published order of wins
Paulus 2020 | figure 16 | pvs by opponent | cbr-stage-3 | prints no numbers | hands, membership | drawn beside the published order of wins
Paulus 2020 | table 17 | four agents against people | cbr-stage-4 | needs people | hands, membership | wins are counted over 13 matches of each agent, and the rounded means fit 18, 16, 20 and 19
Paulus 2020 | figure 17 | the participants' experience | cbr-stage-4 | needs people | - | drawn from the export of a study
Paulus 2020 | figure 18 | answers about pvcnps | cbr-stage-4 | needs people | hands, membership | drawn from the export of a study
Paulus 2020 | figure 19 | answers about nps | cbr-stage-4 | needs people | hands, membership | drawn from the export of a study
Paulus 2020 | figure 20 | answers about pvcs | cbr-stage-4 | needs people | hands, membership | drawn from the export of a study
Paulus 2020 | figure 21 | answers about pvs | cbr-stage-4 | needs people | hands, membership | drawn from the export of a study
Paulus 2020 | appendix B | elbows and groups of all scenarios | cbr-clusters | differs | hands, membership, twelve groups | 79 groups (67 published); scenario by scenario they differ; totals are flat by round, as printed, and larger
Paulus et al. | figure 2 | twenty policies, initial base | cbr-stage-1 | differs † | hands, membership | as figure 10 of Paulus 2020
Paulus et al. | figure 3 | learned base against initial | cbr-stage-2 | undecided | hands, membership | as figure 11 of Paulus 2020
Paulus et al. | figure 4 | ten policies, learned base | cbr-stage-3 | differs † | hands, membership | as figure 12 of Paulus 2020
Paulus et al. | figure 5 | the four best by opponent | cbr-stage-3 | prints no numbers | hands, membership | as figures 13 to 16 of Paulus 2020
Rossato 2020 | table 5.2 | wins against learned bases | markov-opponents | differs | hands, card counts, levels, questions, bluff | 0.4 to 1.8% (7 to 17% published), and no inversion of mão and pé; opponents that call less lose more (markov-calling)
Rossato 2020 | table 5.3 | wins by evolution | markov-opponents | differs | hands, card counts, levels, questions, bluff | 20 wins in 2,000 matches, 1.0% (231 published, 11.6%), too few to show a trend or none
Rossato 2020 | table 5.4 | wins, both from the start | markov-opponents | differs | hands, card counts, levels, questions, bluff | no win in 500 matches against each, at most 0.8% (14 to 42% published); 17.8% against our opponents with cautious hands (markov-calling)
Rossato 2020 | figure 5.5 | first matrices of the bets | markov-self-play | agrees | - | alike in shape, and equal in the 108 cells that tables 4.1 to 4.3 print; a count depends on means and sums alone, not on the order of equal ones
Rossato 2020 | figure 5.6 | first matrices of the cards | markov-self-play | undecided † | card counts, levels | alike in shape: 6 on the diagonal and one less a step; levels largest at both ends
Rossato 2020 | figure 5.7 | envido by evolution | markov-self-play | undecided † | questions, weakest pair | alike, the largest count 488 at snapshot 9 (a little over 400 there); row 0-0 turned blue there, here in 4 of 12 trainings
Rossato 2020 | figure 5.8 | flor by evolution | markov-self-play | undecided † | contra flor, questions | single cells move, as told: 7.4% by the end by the text's reading (0.5% by the scripts)
Rossato 2020 | figure 5.9 | truco by evolution | markov-self-play | undecided † | bluff, card counts, questions | brown in 76% of the cells by snapshot 9 and 99% by the end; the highest counts lie elsewhere
Rossato 2020 | figure 5.10 | cards by evolution | markov-self-play | undecided † | card counts, levels | 4 of the 6 strong cells by the text's reading
Rossato 2020 | figure 5.11 | levels by evolution | markov-self-play | undecided † | card counts, levels | each card has the level described (the 2 is high, 51,322 counts)
Rossato 2020 | figure 5.12 | envido by opponent | markov-opponents | undecided † | hands, questions, weakest pair | brown to the right (81 to 96% of the cells), less so to the left (29 to 51%), after all four
Rossato 2020 | figure 5.13 | flor by opponent | markov-opponents | undecided † | hands, contra flor, questions | single cells move, 0.1 to 0.5% of them after three opponents, 0.0% after pvs; there some did after each
Rossato 2020 | figure 5.14 | truco by opponent | markov-opponents | undecided † | hands, bluff, card counts, questions | hardly moved, as told (2.9 to 3.8% of the cells, the largest count still 73)
Rossato 2020 | figure 5.15 | cards by opponent | markov-opponents | undecided † | hands, card counts, levels | more than half brown (72 to 83%), AMB against AMB strong after 3 of 4; orders against BMA are not
Rossato 2020 | figure 5.16 | levels by opponent | markov-opponents | undecided † | hands, card counts, levels | as figure 5.11 after 4 of 4 opponents
Pinto 2018 | table 1 | Sarsa against the rule, all open | dominoes-perfect | undecided | Sarsa, double, all fives | fives within the interval (52.4%, 52% published); ours is stronger at draw (69.8%, 60% published)
Pinto 2018 | figure 13 | Sarsa against alpha-beta, by time | dominoes-time | undecided † | horizon, speed, Sarsa, all fives | alpha-beta begins behind at draw (22%) and ends far ahead (96%), as its text says; fives 69% (67% published; 0.1 and 1 s: version 0.2.0)
Pinto 2018 | figure 14 | alpha-beta against trees, by time | dominoes-time | undecided † | horizon, speed, trees, all fives | the trees' lead at draw (73%) shrinks, as its text says, and does not last to 1 s (32%; version 0.2.0)
Pinto 2018 | table 2 | draw, all against all | dominoes-published | undecided | seconds, trees, oracle, Sarsa, double | 100 of the 1,000 games of a pair with PIMC: within the interval against the rule (68.7%, 66% published), stronger against random (84.8%, 69%) and Sarsa (84.8%, 65%); so is the rule against random (61.0%, 55%; version 0.2.0)
Pinto 2018 | table 3 | fives, all against all | dominoes-published | undecided | seconds, horizon, speed, oracle, Sarsa, double, all fives | 100 of the 1,000 games of a pair with PIMC: within the interval against random (72.4%, 69% published), stronger against the rule (59.5%, 55%) and Sarsa (60.5%, 54%), but not as a slow program (version 0.1.0); the oracle is stronger against the rule (74.2%, 68%; version 0.2.0)
Pereira 2021 | table 3.8 | the nets that were best | wonders-search | undecided | weights, imitation, widths | the printed rate, 1e-4, is best here too; wide tanh nets learn 4 to 6 points more, and test no better than the printed ones, which ship
Pereira 2021 | table 3.9 | accuracies of imitation | wonders-search | undecided | weights, imitation | train 98.9 [98.0, 99.9], 99.8 [99.2, 100.0], 100.0 [100.0, 100.0]% (97.1, 99.9, 100.0% published): ages II and III within the interval, age I higher; test 60.0, 51.1, 64.3% (46.2, 40.0, 52.6% published)
Pereira 2021 | graph 4.1 | rules against random players | wonders | undecided † | weights | same kinds of structures first, as its text says; in total 1.4 points more
Pereira 2021 | graph 4.2 | neural against random players | wonders | undecided † | weights, imitation | same kinds of structures first, as its text says; in total 2.6 points more
Pereira 2021 | graph 4.3 | reward while learning | wonders | undecided † | weights, Q-learning | it varies much from game to game, as its text says; means rise from 43 to 113
Pereira 2021 | graph 4.4 | dqn against random players | wonders | undecided † | weights, Q-learning | civil and military first, as its text says, commerce less (3.2); in total 4.7 points more
Pereira 2021 | table 4.1 | the tournament of the three | wonders | undecided | weights, imitation, Q-learning | neural first, as published; rules and dqn overlap (30.7 [28.2, 33.2] and 28.7 [26.2, 31.3]%; 38.6 and 21.6% published); all score more here
"""


def _item(row: str) -> Item:
    work, name, shows, study, outcome, ours, why = (cell.strip() for cell in row.split("|"))
    needed = () if ours == "-" else tuple(ours.split(", "))
    return Item(work, name, shows, study, outcome.removesuffix(MARK).strip(), needed, why, outcome.endswith(MARK))


ITEMS = tuple(map(_item, _ROWS.strip().splitlines()))


def of_study(study: str) -> list[Item]:
    """Return the items that a study reproduces."""
    return [item for item in ITEMS if item.study == study]


def markdown(items: Sequence[Item] = ITEMS) -> str:
    """Return the table of `docs/references.md`, the legend of its mark, and the definitions that it names."""
    columns = (
        "document",
        "table or figure",
        "shows",
        "made again by",
        "outcome",
        "by definitions of this project",
        "why",
    )
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for item in items:
        command = item.study if item.study.startswith("tests/") else f"lab run {item.study}"
        lines.append(
            f"| {item.work} | {item.name} | {item.shows} | `{command}` | {item.marked} | {', '.join(item.ours)} | {item.why} |"
        )
    definitions = [f"- *{name}*: {text}" for name, text in DEFINITIONS.items()]
    return "\n".join([*lines, "", LEGEND, "", "Definitions of this project:", "", *definitions]) + "\n"
