"""Release of a study's data: anonymised, with a licence, a data card and checksums.

Codes of participants and names of matches are drawn anew, in a new order; the clock of each participant begins at the
same moment; written answers and scripted participants are left out. So the tables keep their columns, and `bolicho lab
run` reads the release as it reads an export.
"""

import random
import re
import secrets
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Engine

from bolicho import __version__
from bolicho.files import write_text_atomic
from bolicho.store import database, studies
from bolicho.store.export_schema import README, TABLES
from bolicho.store.file_checksums import SUMS, write_sums
from bolicho.store.licences import licence_text
from bolicho.web.study.export import ABOUT, Found, Row, new_folder, read_rows, write_rows
from bolicho.web.study.parts import Plan
from bolicho.web.study.plan import read_plan
from bolicho.web.study.questions import DEMOGRAPHICS

CARD, LICENCE = README, "LICENSE.txt"
START = datetime(2000, 1, 1)  # when the clock of every participant begins
RELEASE = "release"  # in place of the study's name
FEW = 5  # participants with the same demographics below which the card warns (a usual threshold of k-anonymity)


def publish(engine: Engine, study: str, out: Path, licence: str, texts: bool = False) -> dict[str, Any]:
    """Write the release of a study into a folder; return the numbers of rows, and the smallest demographic group."""
    notice = licence_text(licence)
    with database.snapshot(engine) as connection:
        row = studies.named_study(connection, study)
        found = read_rows(connection, study, read_plan(row.plan))
    released, smallest = anonymised(found, texts), smallest_group(found)
    with new_folder(out, {LICENCE, SUMS}) as folder:
        tables = write_rows(folder, released, without_room(row.plan))
        counts = {name: len(released.tables[name]) for name in tables}
        write_text_atomic(folder / LICENCE, notice)
        write_text_atomic(folder / CARD, _card(released, licence, notice, counts, smallest, texts))
        write_sums(folder, (path.name for path in folder.iterdir()))
    return {"rows": counts, "smallest_group": smallest}


def without_room(plan: str) -> str:
    """Return the text of a plan without the code of its room."""
    return re.sub(r"^room *=.*\n", "", plan, flags=re.MULTILINE)


# --- Anonymising --------------------------------------------------------------------------------


def anonymised(found: Found, texts: bool = False) -> Found:
    """Return the rows of people without what could identify them."""
    rng = random.Random(secrets.randbits(128))  # the order must not be found again
    people = [row["participant"] for row in found.tables["participants"] if not row["scripted"]]
    rng.shuffle(people)
    codes = {code: f"p{number:04}" for number, code in enumerate(people, 1)}
    place = {code: number for number, code in enumerate(people)}
    rows = {
        name: sorted(
            (row for row in table if row.get("participant") in codes), key=lambda row: place[row["participant"]]
        )
        for name, table in found.tables.items()
        if name != "states"
    }
    matches = dict.fromkeys(row["match"] for row in rows["matches"])
    names = {match: f"m{number:05}" for number, match in enumerate(matches, 1)}
    records = {names[match]: found.records[match] for match in matches}
    starts = _starts(rows)
    open_items = {question.name for question in found.plan.questions if question.kind == "text"}
    tables = {name: [_anonymous(row, name, codes, names, starts) for row in table] for name, table in rows.items()}
    lines = {name: line for line, name in enumerate(records, 1)}
    for row in tables["matches"]:
        row["record"] = lines[row["match"]]
    if not texts:
        tables["answers"] = [row for row in tables["answers"] if row["item"] not in open_items]
    tables["states"] = [row | {"study": RELEASE} for row in found.tables["states"] if not row["scripted"]]
    return Found(found.plan, tables, records)


def _starts(rows: dict[str, list[Row]]) -> dict[str, datetime]:
    """Return when each participant was shown the first page."""
    found: dict[str, datetime] = {}
    for row in rows["pages"]:
        found.setdefault(row["participant"], _time(row["shown"]))
    return found


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _anonymous(row: Row, table: str, codes: dict[str, str], names: dict[str, str], starts: dict[str, datetime]) -> Row:
    """Return a row with new names and the participant's own clock."""
    start = starts.get(row["participant"])
    times = {column.name for column in TABLES.get(table, ()) if column.kind == "time"}
    found: Row = {}
    for name, value in row.items():
        if name in times and value is not None:
            passed = timedelta(0) if start is None else _time(value) - start
            value = (START + passed).isoformat(" ", "milliseconds")
        found[name] = value
    found |= {"study": RELEASE, "participant": codes[row["participant"]]}
    return found | ({"match": names.get(row["match"])} if "match" in row else {})


def smallest_group(found: Found) -> int | None:
    """Return the least number of people who gave the same demographics; None without such questions."""
    people = {row["participant"] for row in found.tables["participants"] if not row["scripted"]}
    told: dict[str, list[tuple[str, Any]]] = {}
    for row in found.tables["answers"]:
        if row["participant"] in people and row["item"] in DEMOGRAPHICS:
            told.setdefault(row["participant"], []).append((row["item"], row["answer"]))
    groups = Counter(tuple(sorted(answers, key=str)) for answers in told.values())
    return min(groups.values(), default=None)


# --- Data card ----------------------------------------------------------------------------------


def _card(found: Found, licence: str, notice: str, counts: dict[str, int], smallest: int | None, texts: bool) -> str:
    plan = found.plan
    title = plan.title.get("en") or next(iter(plan.title.values()))
    states = ", ".join(f"{row['participants']} {row['state']}" for row in found.tables["states"] if row["participants"])
    return "\n".join([
        f"# {title}: data", "",
        f"Written by bolicho {__version__}. {notice.splitlines()[0]}", "",
        "## Content", "",
        *(f"- `{name}` ({count} rows): {ABOUT[name]}" for name, count in counts.items()),
        f"- `{LICENCE}`: {licence}; `{SUMS}`: checksums, for `sha256sum --check {SUMS}`", "",
        "Every table is here as CSV (UTF-8, RFC 4180) and as Parquet. `dictionary.csv` holds the meaning of every",
        "column, `plan.toml` the wording of every question, `matches.jsonl` the matches as records.", "",
        "## Collection", "",
        f"Participants played {plan.game} against {_opponents(plan)}, in orders of the kind *{plan.order}*.",
        f"Participants by state: {states}. Consent, version {plan.consent.version}, is in `plan.toml`.",
        "[When, where and by whom participants were recruited; the committee and its approval.]", "",
        "## Anonymisation", "",
        "Codes and names of matches are drawn anew, rows are in a new order, and every participant's clock begins at",
        f"{START.isoformat(' ')}, so that times tell durations and no day. Scripted participants are left out.",
        "Written answers are included: they were read before. " if texts else "Written answers are left out.",
        *_demographics(smallest), "",
        "## Use and limitations", "",
        "[Purposes that participants agreed to; who may be missing from the sample.]",
        "A withdrawal after publication cannot reach copies of this release.", "",
    ])  # fmt: skip


def _opponents(plan: Plan) -> str:
    return ", ".join(f"`{spec}`" for spec in plan.opponents)


def _demographics(smallest: int | None) -> Sequence[str]:
    if smallest is None:
        return []
    line = f"The smallest group of people with the same demographics has {smallest}."
    more = f" Below {FEW}, somebody who knows a participant may recognise them: join choices, or leave columns out."
    return [line + (more if smallest < FEW else "")]
