"""Known totals: how cells are named, what contradicts, and what of a schema they are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.recodings.test_recoded_column import schema_of
from understudy.core.refusal import Refusal
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.known_totals import KnownTotals, TotalsOf, compare_totals
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

REGION = Column(name="region", domain=Categories(values=("n", "s"), labels=("North", "South")))
AGE = Column(
    name="age",
    domain=Grid(minimum=Decimal(0), maximum=Decimal(9)),
    missing=True,
    buckets=ByWidth(width=Decimal(5)),
)
SEX = Column(name="sex", domain=Categories(values=("f", "m")))
SCHEMA = Schema(columns=(REGION, AGE, SEX))


def totals(
    columns: Sequence[str], *lines: Sequence[object], of: TotalsOf = "population"
) -> KnownTotals:
    """Totals with a name of each column and the total last in each line."""
    return KnownTotals.of_dict(
        {
            "columns": list(columns),
            "of": of,
            "source": "Yearbook",
            "counts": [list(line) for line in lines],
        }
    )


REGIONS = totals(["region"], ["North", 6], ["s", 4])
AGES = totals(["age", "sex"], ["0-4", "f", 5], ["5 – 9", "m", 5])


def test_names_are_values_labels_buckets_and_codes_for_missing() -> None:
    (bound,) = SCHEMA.with_totals([REGIONS]).bound_totals
    assert bound.views == ((0, 0),)
    assert bound.counts.tolist() == [6, 4]
    (bound,) = SCHEMA.with_totals([AGES]).bound_totals
    assert bound.views == ((1, 1), (2, 0))
    assert bound.counts.tolist() == [5, 0, 0, 5, 0, 0]
    single = totals(["age"], ["03", 1], ["missing", 2], ["9", 3])
    (bound,) = SCHEMA.with_totals([single]).bound_totals
    assert bound.counts.tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 2]


def test_a_schema_file_keeps_them_and_the_fingerprint_knows_what_they_say() -> None:
    schema = SCHEMA.with_totals([REGIONS, AGES])
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.fingerprint == schema.fingerprint != SCHEMA.fingerprint
    assert "totals" not in SCHEMA.to_json()
    elsewhere = KnownTotals.of_dict({**REGIONS.as_dict(), "source": "Elsewhere"})
    assert SCHEMA.with_totals([elsewhere, AGES]).fingerprint == schema.fingerprint
    for other in (
        totals(["region"], ["North", 5], ["s", 5]),
        totals(["region"], ["North", 6], ["s", 4], of="table"),
    ):
        assert SCHEMA.with_totals([other, AGES]).fingerprint != schema.fingerprint
    declared = schema.declare_public("x")
    assert declared.declared
    assert not declared.with_totals([REGIONS]).declared


def test_they_go_with_their_columns_and_have_no_say_in_finer_buckets() -> None:
    schema = SCHEMA.with_totals([REGIONS, AGES])
    assert schema.with_columns((REGION, SEX)).totals == (REGIONS,)
    assert schema.refine([True, True, True]).totals == ()
    with pytest.raises(Refusal, match="0-4"):
        schema.replace(AGE.changed(buckets=ByWidth(width=Decimal(2))))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([totals(["region"], ["Nort", 10])], "Did you mean “North”"),
        (
            [totals(["age"], ["0-4", 5], ["7", 5])],
            "“0-4”, and column “age” has that at another level",
        ),
        ([totals(["region"], ["n", 5], ["North", 5])], "count “North” twice"),
        ([totals(["height"], ["1", 5])], "“height”, which is no column"),
        ([REGIONS, REGIONS], "two tables of totals by “region”"),
        ([REGIONS, totals(["sex"], ["f", 11])], "add up to 10 and 11"),
        (
            [REGIONS, totals(["region", "sex"], ["n", "f", 5], ["s", "m", 5])],
            "count 6 and 5 rows with “North” in column “region”",
        ),
        ([REGIONS, AGES, totals(["sex"], ["f", 10])], "There are 3 tables"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(given: list[KnownTotals], words: str) -> None:
    with pytest.raises(Refusal, match=words) as refused:
        SCHEMA.with_totals(given)
    assert (refused.value.field or "").endswith("totals")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"columns": []}, "by 0 columns"),
        ({"columns": ["region", "age", "sex"]}, "by 3 columns"),
        ({"source": " "}, "have no source"),
        ({"counts": [["n", -1]]}, "a negative one"),
        ({"counts": [["n", "f", 1]]}, "names 2 values"),
        ({"counts": [["n", 0]]}, "add up to 0"),
        ({"counts": [["n", 1.5]]}, "whole number"),
        ({"counts": ["n"]}, "no list of counts"),
        ({"of": "sample"}, "has to be"),
    ],
)
def test_lines_that_are_none_are_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(Refusal, match=words):
        KnownTotals.of_dict({**REGIONS.as_dict(), **change})


def test_a_continuous_column_that_a_rule_names_has_none() -> None:
    height = Column(
        name="height",
        domain=Continuous(
            minimum=Decimal(0), maximum=Decimal(10), step=Decimal(5), precision=Decimal("0.1")
        ),
    )
    schema = Schema(columns=(height, REGION))
    bounded = schema.with_totals([totals(["height"], *([each, 1] for each in height.labels))])
    with pytest.raises(Refusal, match="may move its numbers"):
        bounded.with_rules([Rule(text="height >= 1")])


def test_a_column_that_is_modelled_by_its_distance_has_none() -> None:
    schema = schema_of("days")
    (recoding,) = schema.recodings[:1]
    distance = schema.column(recoding.distance)
    with pytest.raises(Refusal, match="a distance that no released table has"):
        schema.with_totals([totals([distance.name], [distance.labels[0], 5])])
    with pytest.raises(Refusal, match="no column that the model draws"):
        schema.with_totals([totals([recoding.name], ["1", 5])])


def test_totals_that_rules_forbid_name_what_is_too_much() -> None:
    ruled = SCHEMA.with_rules([Rule(text='if (age <= 4) region == "n"')])
    young = totals(["age"], ["0-4", 6], ["5-9", 4])
    for regions, fits in (((6, 4), True), ((5, 5), False)):
        by = totals(["region"], ["n", regions[0]], ["s", regions[1]])
        schema = ruled.with_totals([young, by])
        if fits:
            assert schema.declare_public("x").declared
            continue
        with pytest.raises(Refusal, match="the 6 rows with “0 to 4” can only be among those") as no:
            schema.declare_public("x")
        assert "of which there are 5" in no.value.problem
    pair = totals(["age", "region"], ["0-4", "s", 6], ["5-9", "s", 4])
    with pytest.raises(Refusal, match="which the rules forbid"):
        _ = ruled.with_totals([pair]).joint_totals


EVERY = np.array([*product(range(2), range(11), range(2))], dtype=np.uint16)


@given(st.sampled_from([("region",), ("age",), ("age", "sex")]), st.data())
def test_joint_cells_are_those_that_some_valid_record_is_in(
    first: tuple[str, ...], data: st.DataObject
) -> None:
    """Two tables, at any levels, under a rule or none: against every record there is."""
    second = data.draw(
        st.sampled_from(
            [each for each in (("sex", "region"), ("age", "region")) if set(each) != set(first)]
        )
    )
    coarse = data.draw(st.booleans())
    ruled = data.draw(st.booleans())
    schema = SCHEMA.with_rules([Rule(text='if (age <= 4) region == "n"')] if ruled else [])
    valid = EVERY[schema.relations.hold(list(EVERY.T))]
    some = valid[data.draw(st.lists(st.integers(0, len(valid) - 1), min_size=1, max_size=12))]
    both = [
        count_records(schema, names, some, level)
        for names, level in ((first, int(coarse)), (second, 0))
    ]
    joint = schema.with_totals(both).joint_totals
    assert joint is not None
    cells = [each.number_cells(schema.columns, list(valid.T)) for each in joint.bound]
    expected = np.zeros(joint.allowed.shape, dtype=bool)
    expected[cells[0], cells[1]] = True
    assert (joint.allowed == expected).all()
    counts = joint.allot(np.ones(expected.shape), len(some))
    assert (counts.sum(axis=1) == joint.rows).all()
    assert (counts.sum(axis=0) == joint.others).all()
    for cell, other in zip(*np.nonzero(counts), strict=True):
        allowed = joint.list_codes(int(cell), int(other))
        inside = np.all([codes[valid[:, place]] for place, codes in allowed.items()], axis=0)
        assert ((cells[0] == cell) & (cells[1] == other)).tolist() == inside.tolist()
    for each in joint.bound:
        checks = compare_totals(each.declared, schema.columns, list(some.T))
        assert all(check.released == check.declared and check.hit for check in checks)


def test_a_row_too_many_is_no_hit_and_proportions_are_rounded() -> None:
    codes = np.array([[0] * 6 + [1] * 4, [0] * 10, [0] * 10], dtype=np.uint16)
    assert [each.released for each in compare_totals(REGIONS, SCHEMA.columns, list(codes))] == [
        6,
        4,
    ]
    codes[0, 0] = 1
    checks = compare_totals(REGIONS, SCHEMA.columns, list(codes))
    assert [(each.declared, each.released, each.hit) for each in checks] == [
        (6, 5, False),
        (4, 5, False),
    ]
    three = compare_totals(REGIONS, SCHEMA.columns, list(codes[:, 4:7]))
    assert [(round(each.wanted, 1), each.released, each.hit) for each in three] == [
        (1.8, 2, True),
        (1.2, 1, True),
    ]


def count_records(
    schema: Schema, names: Sequence[str], records: np.ndarray, level: int
) -> KnownTotals:
    """The totals of some records."""
    places = [schema.index(name) for name in names]
    columns = [schema.columns[place] for place in places]
    levels = [min(level, column.coarsest) for column in columns]
    groups = np.column_stack(
        [
            column.level_map(at)[records[:, place]]
            for column, at, place in zip(columns, levels, places, strict=True)
        ]
    )
    rows, counts = np.unique(groups, axis=0, return_counts=True)
    lines = [
        [
            *(
                column.level_labels(at)[group]
                for column, at, group in zip(columns, levels, row, strict=True)
            ),
            int(number),
        ]
        for row, number in zip(rows.tolist(), counts.tolist(), strict=True)
    ]
    return totals(names, *lines)
