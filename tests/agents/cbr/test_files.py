"""Case files: round trips, and refusal of impossible cases with the row and the reason."""

import csv

import duckdb
import numpy as np
import pytest

from bolicho import BadInput
from bolicho.agents.cbr.bases import file_of, load_base, save_base
from bolicho.agents.cbr.casebase import CaseBase, describe, read_cases, write_cases
from bolicho.agents.cbr.observe import cases_of_table
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.training import train
from bolicho.games.record import write_record
from bolicho.store.parquet import read_unsealed

from .hands import base_of, learn, make_baseline, random_table


@pytest.fixture(scope="module")
def base():
    return make_baseline(300, seed=5)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_saved_base_is_loaded_unchanged(base, tmp_path, ending):
    path = tmp_path / f"cases.{ending}"
    save_base(base, path)
    again = load_base(str(path), TRUCO)
    assert again.cases.tobytes() == base.cases.tobytes()
    assert [c.size for c in again.clusterings] == [c.size for c in base.clusterings]


def test_parquet_file_keeps_the_centroids_and_the_provenance(base, tmp_path):
    save_base(base, tmp_path / "cases.parquet")
    again = load_base(str(tmp_path / "cases.parquet"), TRUCO)
    assert again.made == base.made and again.made["kind"] == "synthetic"
    for one, other in zip(base.clusterings, again.clusterings, strict=True):
        assert one.centroids.tobytes() == other.centroids.tobytes() and one.mean.tobytes() == other.mean.tobytes()
    save_base(again, tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "cases.parquet").read_bytes()


def test_a_csv_file_has_centroids_in_the_middle_of_its_groups(base, tmp_path):
    save_base(base, tmp_path / "cases.csv")
    again = load_base(str(tmp_path / "cases.csv"), TRUCO)
    for one, other in zip(base.clusterings, again.clusterings, strict=True):
        assert np.allclose(one.centroids, other.centroids)


def test_the_schema_is_documented():
    lines = list(describe(TRUCO.schema))
    assert len(lines) == len(TRUCO.schema.columns) == sum(np.zeros(1, TRUCO.schema.dtype)[n].size for n in
                                                          TRUCO.schema.dtype.names)  # fmt: skip
    assert "high: code of the strongest card received (1 to 4, 6 to 8, 12, 16, 24, 40, 42, 50, 52)" in lines


def rows_of(base, path):
    write_cases(TRUCO.schema, base.cases, path)
    with path.open() as file:
        return list(csv.reader(file))


def write_rows(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def first_row(base, condition):
    """Return the first row of the file (1 is the first case) whose case meets a condition."""
    return int(np.flatnonzero(condition(base.cases))[0]) + 1


CHANGES = {
    "a foreign card": ("high", lambda c: c["high"] == 24, 23, "high is 23, and may be"),
    "no whole number": ("mid", lambda c: c["mid"] == 8, "8.5", "mid is '8.5', not a whole number"),
    "no number": ("mid", lambda c: c["mid"] == 8, "king", "mid is 'king', not a whole number"),
    "empty": ("low", lambda c: c["low"] == 1, "", "low is empty"),
    "out of order": ("low", lambda c: (c["high"] < 52) & (c["low"] < c["mid"]), 52, "strongest first"),
    "impossible points": ("envido", lambda c: (c["envido"] == 7) & (c["low"] > 3), 33,  # 33 needs a six
                          "no three cards have these codes"),
    "a card thrice": ("theirs_1", lambda c: (c["high"] == 52) & (c["theirs"][:, 0] == 24), 52, "more often than"),
    "a card not received": ("card_1", lambda c: (c["card"][:, 0] == 8) & (c["high"] != 50), 50, "did not receive"),
    "the wrong winner": ("winner_1", lambda c: c["winner"][:, 0] == 1, 2, "winner of a round does not agree"),
    "a round too early": ("truco_round", lambda c: (c["truco_round"][:, 0] == 1) & (c["winner"][:, 0] == 0), 3,
                          "a round that never began"),
    "a raise of nothing": ("truco_by", lambda c: (c["truco_by"][:, 1] == 2), 0, "cannot follow one another"),
    "envido unanswered": ("envido_answer", lambda c: c["envido_answer"] == 1, 0, "envido calls, answer and points"),
    "a flor of nothing": ("flors", lambda c: (c["flors"] == 0) & (c["flor"] == 0), 1, "flor calls, answer and points"),
    "points from nowhere": ("hand_won", lambda c: c["hand_won"] == 1, 3, "points of the hand do not agree"),
    "a missing label": ("group_index_cards", lambda c: c["high"] > 0, 0, "group_index_cards is missing"),
    "a label too many": ("group_card_1_leads", lambda c: c["mao"] == 2, 1, "must be 0"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_an_impossible_case_is_refused_with_its_row_and_the_reason(base, tmp_path, what):
    column, condition, value, reason = CHANGES[what]
    rows = rows_of(base, tmp_path / "cases.csv")
    row = first_row(base, condition)
    rows[row][rows[0].index(column)] = str(value)
    path = write_rows(tmp_path / "bad.csv", rows)
    with pytest.raises(BadInput, match=f"row {row}: .*{reason}"):
        load_base(str(path), TRUCO)


@pytest.mark.parametrize("what", ["a foreign card", "impossible points", "the wrong winner", "a missing label"])
def test_impossible_cases_in_parquet_files_are_refused(base, tmp_path, what):
    column, condition, value, reason = CHANGES[what]
    row = first_row(base, condition)
    cases = base.cases.copy()
    where = next(c for c in TRUCO.schema.columns if c.name == column)
    TRUCO.schema.column(cases, where)[row - 1] = value
    save_base(CaseBase(TRUCO, cases, base.clusterings, base.made), tmp_path / "bad.parquet")
    with pytest.raises(BadInput, match=f"row {row}: .*{reason}"):
        load_base(str(tmp_path / "bad.parquet"), TRUCO)


def test_clusterings_that_do_not_fit_the_cases_are_refused(base, tmp_path):
    def refused(cases, clusterings, reason):
        save_base(CaseBase(TRUCO, cases, clusterings, base.made), tmp_path / "bad.parquet")
        with pytest.raises(BadInput, match=reason):
            load_base(str(tmp_path / "bad.parquet"), TRUCO)

    refused(base.cases, base.clusterings[:-1], "15 clusterings in its metadata")
    refused(base.cases, base.clusterings[::-1], "is clustered by 4 columns")
    cases = base.cases.copy()
    cases["label"][7, -1] = 12
    refused(cases, base.clusterings, r"row 8: group 12 .* has \d+ groups")
    write_cases(TRUCO.schema, base.cases, tmp_path / "bad.parquet", {"clusterings": [{"mean": [1]}]})
    with pytest.raises(BadInput, match="are not lists of mean, scale, centroids"):
        load_base(str(tmp_path / "bad.parquet"), TRUCO)


def test_a_base_is_made_of_recorded_matches_or_of_cases_without_groups(base, tmp_path):
    records = []
    for seed, players in ((1, ["human", "nps"]), (2, None)):
        table = random_table(seed)
        table.players = players
        records.append(write_record(table.record()))
    path = tmp_path / "matches.jsonl"
    path.write_text("\n".join(records))
    made = base_of(path)
    seen = [cases_of_table(TRUCO, random_table(seed), seat) for seed, seat in ((1, 0), (2, 0), (2, 1))]
    plain = [name for name in TRUCO.schema.dtype.names if name != "label"]
    assert all(np.array_equal(made.cases[name], np.concatenate(seen)[name]) for name in plain)
    assert made.made["kind"] == "recorded"
    rows = rows_of(made, tmp_path / "cases.csv")
    groups = [i for i, name in enumerate(rows[0]) if name.startswith("group_")]
    write_rows(tmp_path / "bare.csv", [[cell for i, cell in enumerate(row) if i not in groups] for row in rows])
    assert base_of(tmp_path / "bare.csv").cases.tobytes() == made.cases.tobytes()
    train("cbr-baseline", tmp_path / "own.parquet", 1, {"source": str(path)}, show=False)
    assert load_base(str(tmp_path / "own.parquet"), TRUCO).cases.tobytes() == made.cases.tobytes()
    (tmp_path / "bad.json").write_text('{"game": "truco", "seed": 1, "actions": ["sing"]}')
    with pytest.raises(BadInput, match=r"record 1: .*'sing'"):
        base_of(tmp_path / "bad.json")


def test_unknown_and_missing_columns_are_named(base, tmp_path):
    rows = rows_of(base, tmp_path / "cases.csv")
    path = write_rows(tmp_path / "more.csv", [[*row, "colour" if i == 0 else "1"] for i, row in enumerate(rows)])
    with pytest.raises(BadInput, match="unknown column 'colour'"):
        load_base(str(path), TRUCO)
    path = write_rows(tmp_path / "fewer.csv", [row[1:] for row in rows])
    with pytest.raises(BadInput, match="the column high is missing"):
        load_base(str(path), TRUCO)


def test_rows_of_wrong_length_and_duplicate_columns_are_refused(base, tmp_path):
    rows = rows_of(base, tmp_path / "cases.csv")
    path = write_rows(tmp_path / "short.csv", [row[:-1] if i == 4 else row for i, row in enumerate(rows)])
    with pytest.raises(BadInput, match="row 4: 55 values, and there are 56 columns"):
        load_base(str(path), TRUCO)
    path = write_rows(tmp_path / "twice.csv", [[*row, row[0]] for row in rows])
    with pytest.raises(BadInput, match="the column high appears twice"):
        load_base(str(path), TRUCO)
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(BadInput, match="the column high is missing"):
        load_base(str(tmp_path / "empty.csv"), TRUCO)


def test_a_base_may_lack_whole_scenarios(base, tmp_path):
    one = CaseBase(TRUCO, base.cases[:1], ())
    write_cases(TRUCO.schema, one.cases, tmp_path / "one.csv")
    made = base_of(tmp_path / "one.csv")
    assert [c.size for c in made.clusterings] == [1] * 16
    save_base(made, tmp_path / "one.parquet")
    assert len(load_base(str(tmp_path / "one.parquet"), TRUCO)) == 1
    assert len(learn(made, cases=40, seed=1)) >= 40


def test_missing_and_invalid_files_are_refused(tmp_path):
    with pytest.raises(BadInput, match="there is no case file"):
        load_base(str(tmp_path / "none.parquet"), TRUCO)
    (tmp_path / "broken.parquet").write_bytes(b"not a parquet file")
    with pytest.raises(BadInput, match="not a complete Parquet file"):
        load_base(str(tmp_path / "broken.parquet"), TRUCO)
    with pytest.raises(BadInput, match="unknown case base 'learnt'"):
        load_base("learnt", TRUCO)
    with pytest.raises(BadInput, match=r"csv or \.parquet"):
        write_cases(TRUCO.schema, np.zeros(1, TRUCO.schema.dtype), tmp_path / "cases.xlsx")
    assert not (tmp_path / "cases.xlsx").exists()


def test_unclustered_hands_can_be_read_without_labels(tmp_path):
    cases = cases_of_table(TRUCO, random_table(3), 0)
    write_cases(TRUCO.schema, cases, tmp_path / "hands.parquet")
    again, _ = read_cases(TRUCO.schema, tmp_path / "hands.parquet", labels=False)
    assert again.tobytes() == cases.tobytes()
    with pytest.raises(BadInput, match="is missing"):
        load_base(str(tmp_path / "hands.parquet"), TRUCO)


def test_modified_base_is_refused_and_its_training_named(base, tmp_path):
    path = tmp_path / "cbr-learned-truco.parquet"
    save_base(base, path)
    whole = path.read_bytes()
    for place in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        for read in (lambda: load_base(str(path), TRUCO), lambda: read_cases(TRUCO.schema, path, labels=False)):
            with pytest.raises(BadInput, match=r"checksum.*`bolicho train cbr-learned truco` makes it again"):
                read()


def test_cases_of_another_program_are_read_only_to_be_clustered(base, tmp_path):
    path = tmp_path / "cases [1].parquet"  # a pattern to the database
    columns, _ = read_unsealed(file_of("baseline", "truco"))
    with duckdb.connect() as connection:
        connection.register("columns", columns)
        connection.execute(f"COPY (FROM columns) TO '{path}' (FORMAT parquet)")
    assert len(base_of(path)) == len(next(iter(columns.values())))
    with pytest.raises(BadInput, match="no checksum inside"):
        load_base(str(path), TRUCO)
