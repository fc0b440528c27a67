"""Columns that are modelled by their distance from another: encoded record by record, put together
again, and rules that name them."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import within_cells
from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.privacy_unit import check_ruled
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.privacy.budget import Neighbours
from understudy.runs.table_file import read_first_records
from understudy.table.buckets import EachValue
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.encoding import encode, encode_public, outside, to_csv_bytes
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.raw import RawTable
from understudy.table.recodings.recoded_column import Follows, recode_columns
from understudy.table.records import Records, as_arrow
from understudy.table.rules.repair import repair_records, view_records
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable
from understudy.table.times import DatesTimes

GONE = (MissingCode(values=("-1",), label="not applicable"), MissingCode())
SEX = Column(name="sex", domain=Categories(values=("f", "m")))


def column(name: str, domain: object, *, missing: bool = False) -> Column:
    codes = GONE if missing else (MissingCode(),)
    return Column.read({"name": name, "domain": domain, "missing": missing, "missing_codes": codes})


def days(first: str, last: str, step: str = "month", spelling: str = "") -> Dates:
    return Dates(minimum=first, maximum=last, step=step, spelling=spelling)


def times(first: str, last: str) -> DatesTimes:
    return DatesTimes(minimum=first, maximum=last, step="day")


TABLES = {
    "days": (
        column("came", days("2019-12-30", "2020-03-05")),
        column("out", days("2019-12-31", "2020-03-05", "day", "DD.MM.YYYY")),
    ),
    "missing": (
        column("came", days("2019-12-30", "2020-03-05"), missing=True),
        column("out", days("2019-12-01", "2020-02-29"), missing=True),
        column("seen", days("2020-01-01", "2020-03-05", "day"), missing=True),
    ),
    "times": (
        column("came", times("2020-01-01 00:00", "2020-02-10 23:59")),
        column("out", times("2020-01-03 00:00", "2020-02-20 23:59")),
    ),
    "amounts": (
        column("came", Grid(kind="numbers", minimum="0.5", maximum=20, step="0.5")),
        column("out", Continuous(minimum=0, maximum=30, precision="0.25", step=5), missing=True),
    ),
}  # fmt: skip
RULES = (
    "came <= out",
    "out - came <= 20",
    "out >= came + 3",
    "is.na(out)",
    'if (sex == "f") !is.na(out)',
    'out == "not applicable"',
    '(out == "not applicable") == (sex == "m")',
    "out != came",
)
DATED = ('out <= "2020-02-01"', 'out %in% c("2020-01-05", "2020-01-06")')


@cache
def schema_of(kind: str, *rules: str) -> Schema:
    """Return the schema of a table, with all but its first column modelled by distances."""
    plain = TABLES[kind]
    follows = [Follows(plain[turn].name, plain[turn - 1].name) for turn in range(1, len(plain))]
    columns, recodings = recode_columns((*plain, SEX), follows)
    declared = tuple(Rule(text=text) for text in rules)
    return Schema(columns=columns, recodings=recodings, rules=declared)


def draw(schema: Schema, rows: int, seed: int) -> Records:
    """Return records of any codes that rules leave, with numbers as they are released."""
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.integers(0, size, rows) for size in schema.cardinalities])
    codes = codes.astype(np.uint16)
    return within_cells(schema).records(codes[schema.relations.hold(list(codes.T))], 0)


def same(one: Records, other: Records) -> bool:
    held = [np.zeros(0) if each.numbers is None else each.numbers for each in (one, other)]
    return np.array_equal(one.codes, other.codes) and np.array_equal(*held, equal_nan=True)


SOME = st.sampled_from(list(TABLES))


@given(SOME, st.integers(0, 10**6))
def test_a_record_is_put_together_as_it_was(kind: str, seed: int) -> None:
    schema = schema_of(kind)
    plain = schema.of_file
    records = draw(plain.with_rules(()), 60, seed).under(plain)
    kept = repair_records(records)
    assert same(kept.recode(schema).restore(), kept)
    alone = [kept.take(np.array([place])).recode(schema) for place in range(len(kept))]
    assert np.array_equal(np.concatenate([each.codes for each in alone]), kept.recode(schema).codes)


@given(SOME, st.integers(0, 10**6))
def test_released_rows_are_values_in_order_and_read_back(kind: str, seed: int) -> None:
    schema = schema_of(kind)
    records = draw(schema, 60, seed)
    raw = read_table(to_csv_bytes(records), name="t.csv")
    assert raw.names == schema.header == schema.of_file.names
    assert not any(each.total for each in outside(raw, schema))
    assert same(encode_public(raw, schema), records)
    written = encode_public(raw, schema.of_file)
    assert same(repair_records(written), written)
    came, out = (read_numbers(raw, each) for each in TABLES[kind][:2])
    assert not (out < came).any()


def read_numbers(raw: RawTable, plain: Column) -> FloatArray:
    """Return what the texts of a column say, not a number where they say that it is missing."""
    texts, places = raw.distinct(plain.name)
    values = [
        None if text in plain.missing_values else plain.domain.value_of(text) for text in texts
    ]
    return np.array([np.nan if each is None else float(each) for each in values])[places]


@given(SOME, st.sampled_from(RULES), st.integers(0, 10**6))
def test_a_rule_says_the_same_of_the_distance(kind: str, text: str, seed: int) -> None:
    if "applicable" in text and not TABLES[kind][1].missing:
        return
    check_rule_alike(kind, text, seed)


@given(st.sampled_from(["days", "missing"]), st.sampled_from(DATED), st.integers(0, 10**6))
def test_a_rule_on_days_says_the_same_of_the_distance(kind: str, text: str, seed: int) -> None:
    check_rule_alike(kind, text, seed)


def check_rule_alike(kind: str, text: str, seed: int) -> None:
    """Check that a rule is broken by the same records, whether it is asked of the columns of the
    file or of those that a model has."""
    rule = Rule(text=text)
    records = draw(schema_of(kind), 80, seed)
    broken = []
    for each in (records, records.restore()):
        schema = each.schema.with_rules((rule,))
        if rule not in schema.kept_rules:
            broken.append(np.zeros(len(each), dtype=bool))
            continue
        place = schema.kept_rules.index(rule)
        broken.append(schema.conditions[place].judge(view_records(each.under(schema))).false)
    assert np.array_equal(*broken)


def test_the_order_of_two_columns_is_no_rule_of_the_distance_any_more() -> None:
    schema = schema_of("days", "came <= out")
    assert [rule.text for rule in schema.kept_rules] == [
        'out >= "2019-12-31"',
        'out <= "2020-03-05"',
    ]
    assert schema.column("out after came").bucket_labels[:5] == (
        "0", "1", "2 to 3", "4 to 7", "8 to 15",
    )  # fmt: skip
    limited = schema_of("days", "out - came <= 20").conditions
    assert [len(each.places) for each in limited] == [2, 2, 1]
    wide = column("out", Grid(kind="numbers", minimum=0, maximum=60, step="0.5"))
    far = recode_columns(
        (TABLES["amounts"][0], wide, SEX), [Follows("out", "came", most=Decimal(30))]
    )
    assert not Schema(columns=far[0], recodings=far[1]).kept_rules


def test_records_that_cannot_be_put_together_are_left_out_or_lose_what_follows(
    tmp_path: Path,
) -> None:
    rows = [
        "came,out,seen,sex",
        "2020-01-05,2020-01-04,,f",  # before
        ",2020-01-04,2020-01-05,m",  # from no start
        "2020-01-05,2020-01-05,2020-02-01,m",
        "2020-01-05,-1,2020-02-01,f",  # seen after what is missing
        "-1,-1,-1,f",
    ]
    raw = read_table("\n".join(rows).encode(), name="t.csv")
    schema = schema_of("missing")
    records = encode(raw, schema)
    text = to_csv_bytes(records).decode().splitlines()
    assert text[1:] == [
        ",,,m", "2020-01-05,2020-01-05,2020-02-01,m", "2020-01-05,-1,,f", "-1,-1,-1,f",
    ]  # fmt: skip
    path = tmp_path / "t.parquet"
    pq.write_table(raw.arrow, path)
    streamed = StreamedTable.open(path, schema)
    (piece,) = streamed.records()
    assert len(streamed) == 4
    assert same(piece, records)
    (distances,) = streamed.pieces((2, 1))
    assert np.array_equal(distances.columns[2], records.codes[:, 2])
    assert np.array_equal(distances.columns[1], records.codes[:, 1])


@pytest.mark.parametrize("kind", TABLES)
def test_files_are_read_back(kind: str, tmp_path: Path) -> None:
    schema = schema_of(kind)
    records = draw(schema, 200, 3)
    csv, parquet = tmp_path / "t.csv", tmp_path / "t.parquet"
    csv.write_bytes(to_csv_bytes(records))
    pq.write_table(as_arrow(records), parquet)
    assert same(read_first_records(csv, schema, 1000), records)
    assert same(read_first_records(parquet, schema, 1000), records)


@pytest.mark.parametrize("kind", TABLES)
def test_a_schema_file_says_how_columns_are_modelled(kind: str) -> None:
    schema = schema_of(kind, "came <= out")
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.fingerprint == schema.fingerprint != schema.of_file.fingerprint
    document = json.loads(schema.to_json())
    assert [each["name"] for each in document["fields"]] == list(schema.header)
    for each in document["understudy"]["recoded"]:
        del each["modelled"]
    assert Schema.from_json(json.dumps(document)) == schema


def test_the_fingerprint_knows_what_a_column_follows() -> None:
    came, out = TABLES["days"][:2]
    columns, (recoding,) = recode_columns((came, out, SEX), [Follows("out", "came")])
    other = came.changed(name="went")
    both = [
        Schema(columns=(*columns, other), recodings=(each,)).fingerprint
        for each in (recoding, recoding.model_copy(update={"after": "went"}))
    ]
    assert both[0] != both[1]


def test_ranges_of_distances_are_said_and_refused_where_records_are_replaced() -> None:
    """Where records are replaced, leaving out one whose distance is not in its range changes how
    many there are."""
    schema = schema_of("days")
    assert not schema.rules
    found = plan_run(opening_plan("seedbased", schema), schema).guarantee
    assert any("is public knowledge on the custodian" in each for each in found.scope.assumes)
    with pytest.raises(Refusal, match="the same number of records"):
        check_ruled(replace(found, neighbours=Neighbours.REPLACEMENTS), schema)


def test_derived_columns_are_computed_from_what_is_put_together() -> None:
    from understudy.table.authoring.derivation_edits import with_derivations

    schema = with_derivations(schema_of("days"), ["nights=days(came, out)"], ("came", "out", "sex"))
    records = draw(schema, 50, 4)
    whole = records.complete(distances=True)
    assert whole.schema.names == ("came", "out", "sex", "nights", "out after came")
    assert records.complete().schema.names == ("came", "out", "sex", "nights")
    nights = whole.schema.column("nights").domain.size - schema.column("out after came").domain.size
    first = whole.codes[:, 3].astype(int) - whole.codes[:, 4]
    assert set(first.tolist()) == {nights}


def test_a_table_whose_rows_are_out_of_order_is_no_release() -> None:
    raw = read_table(b"came,out,sex\n2020-01-05,04.01.2020,f\n", name="t.csv")
    with pytest.raises(Refusal, match="“out” is not after"):
        encode_public(raw, schema_of("days"))


def test_tables_drawn_apart_are_put_together_within_the_range() -> None:
    schema = schema_of("days")
    codes = np.array(
        [[2, 0, 0], [2, schema.column("out after came").domain.size - 1, 0]], np.uint16
    )
    late = Records(schema, codes, np.array([[737484.0], [737484.0]]))
    assert to_csv_bytes(late).decode().splitlines()[2].endswith("05.03.2020,f")


BAD = [
    (("sex", "came"), "not both dates"),
    (("came", "came"), "follow itself"),
    (("out", "nowhere"), "no column “nowhere”"),
    (("whole", "half"), "not every value"),
    (("sure", "unsure"), "where “unsure” is missing"),
    (("early", "late"), "never comes after"),
    (("up", "up2"), "time of day"),
]


@pytest.mark.parametrize(("names", "problem"), BAD)
def test_what_cannot_follow_is_refused(names: tuple[str, str], problem: str) -> None:
    from understudy.table.times import Times

    columns = (
        *TABLES["days"],
        SEX,
        column("whole", Grid(minimum=0, maximum=9)),
        column("half", Grid(kind="numbers", minimum=0, maximum=9, step="0.5")),
        column("sure", Grid(minimum=0, maximum=9)),
        column("unsure", Grid(minimum=0, maximum=9), missing=True),
        column("early", Grid(minimum=0, maximum=9)),
        column("late", Grid(minimum=10, maximum=19)),
        column("up", Times(precision="minute")),
        column("up2", Times(precision="minute")),
    )
    with pytest.raises(Refusal, match=problem):
        recode_columns(columns, [Follows(*names)])


def test_a_column_of_distances_has_to_fit() -> None:
    schema = schema_of("missing")
    for settings, problem in (
        (
            {"domain": Grid(minimum=0, maximum=40, step=2), "buckets": EachValue()},
            "count in the steps",
        ),
        ({"domain": Categories(values=("1", "2")), "buckets": EachValue()}, "no plain numbers"),
        ({"missing": False}, "other codes for missing"),
    ):
        with pytest.raises(Refusal, match=problem):
            schema.replace(schema.column("out after came").changed(**settings))
    short = schema.column("out after came").changed(
        domain=Grid(minimum=0, maximum=4), buckets=EachValue()
    )
    assert any("<= 4" in rule.text for rule in schema.replace(short).of_file.rules)
    with pytest.raises(Refusal, match="follows"):
        schema.with_columns([each for each in schema.columns if each.name != "came"])
