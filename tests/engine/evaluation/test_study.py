from __future__ import annotations

import numpy as np

from tests.support import category_schema
from understudy.evaluation.measure import Measured, Role, Study, Table, cut_to_size, sample_of
from understudy.table.records import Records

SCHEMA = category_schema(3, 2)


def records(count: int) -> Records:
    """Records that can be told apart by their order."""
    codes = np.column_stack([np.arange(count) % 3, np.arange(count) // 3 % 2])
    return Records(SCHEMA, codes.astype(np.uint16))


def table(role: Role, count: int) -> Table:
    return Table(f"the {role}", role, records(count))


def study(*tables: Table) -> Study:
    return Study(tables, records(10), records(10), {}, "c0", repeats=2, key=7)


def test_tables_are_cut_to_the_smallest_and_to_what_was_asked() -> None:
    tables = (table("reals", 90), table("released", 40))
    random = np.random.default_rng(1)
    assert [len(each.records) for each in cut_to_size(tables, 1_000, random)] == [40, 40]
    assert [len(each.records) for each in cut_to_size(tables, 25, random)] == [25, 25]
    assert [each.role for each in cut_to_size(tables, 25, random)] == ["reals", "released"]


def test_some_records_are_drawn_without_replacement_and_keep_their_order() -> None:
    schema = category_schema(500, 2)
    all_of_them = Records(
        schema, np.column_stack([np.arange(500)] * 2).astype(np.uint16) % [500, 2]
    )
    drawn = sample_of(all_of_them, 200, np.random.default_rng(3)).codes[:, 0]
    assert len(np.unique(drawn)) == 200
    assert (np.diff(drawn.astype(int)) > 0).all()
    assert sample_of(all_of_them, 500, np.random.default_rng(3)) is all_of_them


def test_randomness_depends_on_its_purpose_and_on_nothing_else() -> None:
    one, other = study(), study(table("reals", 5))
    one.random("something else").random()
    assert one.random("forest").random() == other.random("forest").random()
    assert one.random("forest").random() != one.random("tree").random()


def test_what_several_measures_need_is_made_once() -> None:
    made: list[int] = []
    here = study()
    for _ in range(3):
        assert here.once("thing", lambda: made.append(1) or len(made)) == 1
    assert study().once("thing", lambda: 5) == 5


def test_every_table_is_measured_under_its_name() -> None:
    here = study(table("reals", 5), table("marginals", 4))
    found = here.each(lambda each: Measured(float(len(each.records))))
    assert {name: each.value for name, each in found.items()} == {
        "the reals": 5,
        "the marginals": 4,
    }
    marginals = here.of("marginals")
    assert marginals is not None
    assert marginals.name == "the marginals"
    assert here.of("released") is None
