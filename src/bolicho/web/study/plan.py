"""Plan of a study: a TOML file that is read strictly, with errors that name the place.

`bolicho study new --template` prints a commented plan to begin with.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from bolicho.agents.agent import is_oracle
from bolicho.agents.agent_errors import short
from bolicho.agents.cbr.bases import domain_of
from bolicho.agents.registry import agent
from bolicho.agents.spec import parse_spec, write_spec
from bolicho.errors import BadInput, unknown
from bolicho.files import read_text
from bolicho.games import game_names
from bolicho.i18n import LANGUAGES
from bolicho.store.database import new_name
from bolicho.strict import read_toml
from bolicho.web.study.latin_squares import MOST, ORDERS
from bolicho.web.study.parts import (
    PERSON,
    Consent,
    Debriefing,
    Grow,
    Instructions,
    Panel,
    Person,
    Plan,
    Practice,
    Sees,
)
from bolicho.web.study.questions import Text, read_questions
from bolicho.web.study.toml_reader import SOON, Reader

SHIPPED = Path(__file__).parent / "shipped"

PEOPLE = "people"
"""Value of an opponent's option `base` that selects the case base grown from participants' hands."""

LONGEST_TEXT = 20_000  # characters of one text, such as the consent
ROOM = 8  # characters of a generated room code: 31 ** 8 codes, about 40 bits


# --- Reading --------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def read_plan(text: str, where: str = "plan") -> Plan:
    """Parse the plan in a TOML text."""
    try:
        top = Reader(read_toml(text), where)
    except BadInput as problem:
        raise BadInput(f"{where}: {problem}") from None
    languages = top.languages = _languages(top)
    game = top.one_of("game", game_names())
    rules = top.rules("rules", game, {})
    opponents, person = _opponents(top)
    plan = Plan(
        title=top.words("title", 120),
        game=game,
        rules=rules,
        opponents=opponents,
        person=person,
        matches=top.number("matches", 1, 20, 1),
        order=top.one_of("order", tuple(ORDERS), "williams"),
        target=top.number("target", 1, 100_000),
        ends=top.day("ends", None),
        languages=languages,
        lost_after=_hours(top),
        retention=top.day("retention"),
        room=_room(top),
        sees=_sees(top),
        practice=_practice(top, game, rules),
        consent=_consent(top),
        instructions=_instructions(top),
        questions=read_questions(top),
        is_shuffled=top.one_of("question_order", ("file", "random"), "file") == "random",
        signals=top.flag("signals", False),
        debriefing=_debriefing(top),
        thanks=_thanks(top),
        panel=_panel(top),
        grow=_grow(top),
    )
    top.done()
    _check_together(plan, where)
    return plan


def _languages(top: Reader) -> tuple[str, ...]:
    found = top.of(list, "a list", "languages", '["pt", "en", "es"]')
    for language in found:
        if language not in LANGUAGES:
            raise BadInput(f"{top.where}: {unknown('language', str(language), LANGUAGES)}")
    if not found or len(set(found)) != len(found):
        raise BadInput(f"{top.at('languages')} must name each language once, and at least one")
    return tuple(found)


def _opponents(top: Reader) -> tuple[tuple[str, ...], Person | None]:
    """Read the opponents and, if one of them is a person, the terms between participants."""
    example = '[{agent = "balanced"}, {agent = "novice"}]'
    given = top.of(list, "a list of tables", "opponents", example)
    if not 1 <= len(given) <= MOST:
        raise BadInput(f"{top.at('opponents')} must name 1 to {MOST} opponents, not {len(given)}; {SOON} {example}")
    found: list[str] = []
    person: Person | None = None
    for number, table in enumerate(given, 1):
        one = Reader(table, f"{top.where}, opponent {number}")
        if one.flag(PERSON, False):
            spec, person = PERSON, person or _person(one)
        else:
            spec = _spec(one)
        one.done()
        if spec in found:
            raise BadInput(f"{one.where}: {spec} is listed twice; matches = 2 plays two matches against each opponent")
        found.append(spec)
    return tuple(found), person


def _person(one: Reader) -> Person:
    """Read the terms between participants from an opponent with `person = true`."""
    if one.take("agent", "...", None) is not None:
        raise BadInput(
            f"{one.where}: an opponent is an agent or a person; `instead` names the agent that replaces a person"
        )
    return Person(
        wait=one.number("wait", 1, 3600, 300),
        instead=_spec(one, "instead") if "instead" in one.table else None,
        meetings=one.number("meetings", 1, 240, 1),
        clock=one.number("clock", 10, 86_400, 900),
    )


def _spec(reader: Reader, key: str = "agent") -> str:
    """Read the canonical spec of an agent."""
    try:
        spec = write_spec(*parse_spec(reader.text(key, '"balanced"')))
    except BadInput as problem:
        raise BadInput(f"{reader.at(key)}: {problem}") from None
    if parse_spec(spec)[0] in ("human", PERSON):
        raise BadInput(
            f"{reader.at(key)}: a person is not an agent; name one of `bolicho agents`, or add the opponent "
            "{person = true} to let participants play against each other"
        )
    return spec


def _hours(top: Reader) -> float:
    hours = top.take("lost_after", "48", 48)
    if type(hours) not in (int, float) or not 0 < hours <= 10_000:
        raise BadInput(f"{top.at('lost_after')} must be a number of hours, not {short(hours)}; {SOON} lost_after = 48")
    return float(hours)


def _room(top: Reader) -> str | None:
    code: str | None = top.of(str, "a text", "room", '"truco2027"', None)
    if code is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", code):
        raise BadInput(f"{top.at('room')} must be 1 to 64 letters without accents, digits, _ or -, not {code!r}")
    return code


def _sees(top: Reader) -> Sees:
    found = top.inner("sees", needed=False)
    if found is None:
        return Sees()
    sees = Sees(
        names=found.one_of("names", ("neutral", "agents"), "neutral"),
        why=found.flag("why", False),
        hint=found.flag("hint", False),
        pace=found.number("pace", 0, 60_000, None),
    )
    found.done()
    if sees.why and sees.names == "neutral":
        raise BadInput(f'{found.at("why")} = true shows explanations that name the agent; it needs names = "agents"')
    return sees


def _practice(top: Reader, game: str, rules: Mapping[str, Any]) -> Practice | None:
    found = top.inner("practice", needed=False)
    if found is None:
        return None
    practice = Practice(_spec(found), found.rules("rules", game, rules))
    found.done()
    return practice


def _consent(top: Reader) -> Consent:
    found = top.inner("consent", needed=True)
    assert found is not None
    consent = Consent(found.text("version", '"1"', longest=40), found.words("text", LONGEST_TEXT), _seconds(found))
    found.done()
    return consent


def _seconds(page: Reader) -> int:
    """Read the least time to read a page, in seconds."""
    seconds: int = page.number("seconds", 0, 3600, 0)
    return seconds


def _instructions(top: Reader) -> Instructions:
    found = top.inner("instructions", needed=True)
    assert found is not None
    instructions = Instructions(found.words("text", LONGEST_TEXT), _seconds(found))
    found.done()
    return instructions


def _debriefing(top: Reader) -> Debriefing | None:
    found = top.inner("debriefing", needed=False)
    if found is None:
        return None
    debriefing = Debriefing(found.words("text", LONGEST_TEXT), found.flag("names", True))
    found.done()
    return debriefing


def _thanks(top: Reader) -> Text:
    found = top.inner("thanks", needed=True)
    assert found is not None
    text: Text = found.words("text", LONGEST_TEXT)
    found.done()
    return text


def _panel(top: Reader) -> Panel | None:
    found = top.inner("panel", needed=False)
    if found is None:
        return None
    panel = Panel(found.text("code", '"C1A2B3"', None, 80), _link(found, "link"), _link(found, "declined"))
    found.done()
    if panel.code is None and panel.link is None:
        raise BadInput(f"{found.where} needs a code, a link, or both")
    return panel


def _link(panel: Reader, name: str) -> str | None:
    """Read the address of a page of a panel."""
    link: str | None = panel.text(name, '"https://app.prolific.com/submissions/complete?cc=C1A2B3"', None, 500)
    if link is not None and not re.fullmatch(r"https://[^\s\"'<>\\]+", link):
        raise BadInput(f"{panel.at(name)} must be an address that begins with https://, not {link!r}")
    return link


def _grow(top: Reader) -> Grow | None:
    found = top.inner("grow", needed=False)
    if found is None:
        return None
    base = found.text("base", '"baseline"')
    grow = Grow(base, found.number("every", 1, 10_000, 10), found.flag("scripted", False))
    found.done()
    return grow


def _check_together(plan: Plan, where: str) -> None:
    """Check the constraints between fields of a plan."""
    if plan.person is not None and (seats := plan.make_game().seats) != 2:
        raise BadInput(f"{where}: participants can meet only in a game of two seats, and {plan.game} has {seats} here")
    if plan.person is not None and plan.matches > plan.person.meetings * (plan.target - 1):
        raise BadInput(
            f"{where}: {plan.matches} matches against other participants are impossible with {plan.target} "
            f"participants and {plan.person.meetings} matches per pair; raise target or meetings"
        )
    grown = [spec for spec in plan.agents if is_grown(spec)]
    if grown and plan.grow is None:
        raise BadInput(f"{where}: {grown[0]} uses a case base of participants' hands, so the plan needs a table [grow]")
    if plan.grow is not None and not grown:
        raise BadInput(
            f"{where}, [grow]: no opponent uses a case base of participants' hands; add one such as pvcnps(base=people)"
        )
    if plan.grow is not None and domain_of(plan.game).tried:
        raise BadInput(f"{where}, [grow]: cases of {plan.game} come from simulated turns, not from participants' hands")
    if plan.ends is not None and plan.retention < plan.ends:
        raise BadInput(f"{where}: retention, {plan.retention}, comes before the study ends, {plan.ends}")


# --- Agents ---------------------------------------------------------------------------------------


def is_grown(spec: str) -> bool:
    """Return whether an agent uses the case base grown from participants' hands."""
    return parse_spec(spec)[1].get("base") == PEOPLE


def with_base(spec: str, base: str) -> str:
    """Return the spec of an agent with another case base."""
    name, options = parse_spec(spec)
    return write_spec(name, {**options, "base": base})


def played_spec(plan: Plan, spec: str, base: str | None = None) -> str:
    """Return the spec to play with: if its base grows, with the given base or the one the study starts from."""
    if plan.grow is None or not is_grown(spec):
        return spec
    return with_base(spec, base or plan.grow.base)


def check_agents(plan: Plan, where: str = "plan") -> None:
    """Refuse agents that cannot be created, do not play the game, or see hidden cards."""
    asked = [
        (f"{where}, opponent {number}", spec, False) for number, spec in enumerate(plan.opponents, 1) if spec != PERSON
    ]
    if plan.person is not None and plan.person.instead is not None:
        asked.append((f"{where}, opponent {plan.opponents.index(PERSON) + 1}: instead", plan.person.instead, False))
    if plan.practice is not None:
        asked.append((f"{where}, [practice]", plan.practice.agent, True))
    for place, spec, practice in asked:
        try:
            made = agent(played_spec(plan, spec), plan.make_game(practice))
        except BadInput as problem:
            raise BadInput(f"{place}: {problem}") from None
        if is_oracle(made):
            raise BadInput(f"{place}: {spec} sees all cards, so it may not play against participants")


def read_file(path: Path | str, check: Callable[[Plan, str], None] = check_agents) -> tuple[Plan, str]:
    """Read the plan in a file and check its agents; return the plan and the text of the file."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"cannot read the plan {str(path)!r}: {problem}") from None
    plan = read_plan(text, str(path))
    check(plan, str(path))
    return plan, text


def shipped(name: str = "paulus") -> str:
    """Return the text of a plan that ships with Bolicho, with a new room code."""
    text = (SHIPPED / f"{name}.toml").read_text(encoding="utf-8")
    return re.sub(r'^room = "[^"]*"', f'room = "{new_room()}"', text, flags=re.MULTILINE)


def new_room() -> str:
    """Generate a room code."""
    while is_easy_to_guess(code := new_name(ROOM)):
        pass
    return code


def is_easy_to_guess(room: str) -> bool:
    """Return whether a room code is shorter than generated ones, all letters or all digits."""
    return len(room) < ROOM or room.isalpha() or room.isdecimal()
