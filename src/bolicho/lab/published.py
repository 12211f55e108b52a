"""The five documents, and every table and figure in which they show results: which study makes it again, and
how it came out.  `docs/references.md` and `bolicho lab list` are written from here.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """A document, as its title page gives it."""

    cited: str  # how pages and reports name it
    authors: str
    title: str
    english: str  # the title in English, where it is not
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

AGREES, IN_PART, DIFFERS, PEOPLE = "agrees", "agrees in part", "differs", "needs people"
OUTCOMES = (AGREES, IN_PART, DIFFERS, PEOPLE)


@dataclass(frozen=True)
class Item:
    """A table or figure with results: what it shows, how to make it again, and what came out."""

    work: str
    name: str
    shows: str
    study: str  # a name of `bolicho lab list`, or the test that holds it
    outcome: str
    why: str


ITEMS: tuple[Item, ...] = ()


def of_study(study: str) -> list[Item]:
    """The items that a study makes again."""
    return [item for item in ITEMS if item.study == study]


def source(study: str) -> str:
    """What a study makes again, as one line: works with their tables and figures."""
    by_work: dict[str, list[str]] = {}
    for item in of_study(study):
        by_work.setdefault(item.work, []).append(item.name)
    return "; ".join(f"{work}, {', '.join(names)}" for work, names in by_work.items()) or "ours"


def markdown(items: Sequence[Item] = ITEMS) -> str:
    """The table of `docs/references.md`."""
    lines = ["| document | table or figure | shows | made again by | outcome | why |", "|---|---|---|---|---|---|"]
    for item in items:
        command = item.study if item.study.startswith("tests/") else f"lab run {item.study}"
        lines.append(f"| {item.work} | {item.name} | {item.shows} | `{command}` | {item.outcome} | {item.why} |")
    return "\n".join(lines) + "\n"
