from itertools import pairwise

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.samples import census
from understudy.samples.census import (
    SCHEMA,
    SHIPPED_ROWS,
    SHIPPED_SEED,
    TABLE,
    schema,
    simulate,
    write,
)
from understudy.table.encoding import encode
from understudy.table.records import Records
from understudy.table.rules.rule_check import check_rule
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

NAMES = ("AGEP", "COW", "SCHL", "MAR", "OCCP", "RELP", "RAC1P", "SEX", "WKHP", "WAOB", "WAGP")
CARDINALITIES = (80, 8, 24, 5, 25, 18, 5, 2, 100, 8, 2)


class People:
    """A simulated table seen as text, column by column."""

    def __init__(self, codes):
        domain = schema()
        self.text = {
            column.name: np.array(column.texts)[codes[:, place]]
            for place, column in enumerate(domain.columns)
        }
        self.age = self.text["AGEP"].astype(int)
        self.hours = self.text["WKHP"].astype(int)
        self.schooling = self.text["SCHL"].astype(int)
        self.rich = self.text["WAGP"] == ">50K"

    def holds(self, name, *values):
        return np.isin(self.text[name], values)


@pytest.fixture(scope="module")
def codes():
    return simulate(300_000, seed=8)


@pytest.fixture(scope="module")
def people(codes):
    return People(codes)


def rising(values):
    return all(low < high for low, high in pairwise(values))


def information(codes, first, second):
    """Mutual information of two columns, in bits."""
    pair = np.zeros((CARDINALITIES[first], CARDINALITIES[second]))
    np.add.at(pair, (codes[:, first], codes[:, second]), 1 / len(codes))
    product = pair.sum(axis=1, keepdims=True) * pair.sum(axis=0)
    seen = pair > 0
    return (pair[seen] * np.log2(pair[seen] / product[seen])).sum()


def test_the_schema_has_the_published_shape():
    assert schema().names == NAMES
    assert tuple(schema().cardinalities) == CARDINALITIES
    assert schema().configurations == 552_960_000_000


def test_the_schema_is_declared_public_and_says_why():
    assert schema().declared
    assert schema().declaration.note


def test_the_schema_file_is_what_the_schema_would_save():
    assert Schema.from_json(SCHEMA.read_text("utf-8")) == schema()
    assert SCHEMA.read_text("utf-8").rstrip("\n") == schema().to_json().rstrip("\n")


def test_every_column_has_a_title_and_every_category_a_label_of_its_own():
    for column in schema().columns:
        assert column.title
        assert len(set(column.labels)) == column.cardinality
        if not column.ordered:
            assert not set(column.labels) & set(column.texts)


def test_buckets_are_those_of_the_published_evaluation():
    counts = {column.name: column.bucket_count for column in schema().columns}
    assert counts == dict(zip(NAMES, CARDINALITIES, strict=True)) | {
        "AGEP": 8,
        "WKHP": 7,
        "SCHL": 9,
    }
    schooling = schema().column("SCHL").bucket_map
    assert len(set(schooling[:15])) == 1
    assert schooling[15] == schooling[16] != schooling[14]
    assert len(set(schooling[16:])) == 8


def test_codes_are_sixteen_bit_and_every_value_occurs(codes):
    assert codes.shape == (300_000, 11)
    assert codes.dtype == np.uint16
    for place, cardinality in enumerate(CARDINALITIES):
        assert set(codes[:, place]) == set(range(cardinality))


@pytest.mark.parametrize("rows", [1, 32_768, 32_769])
def test_as_many_rows_as_asked_for(rows):
    assert simulate(rows, seed=1).shape == (rows, 11)


def test_the_same_seed_makes_the_same_table():
    assert np.array_equal(simulate(5000, seed=3), simulate(5000, seed=3))
    assert not np.array_equal(simulate(5000, seed=3), simulate(5000, seed=4))


def test_a_longer_table_begins_with_the_shorter_one():
    longer = simulate(80_000, seed=5)
    assert np.array_equal(simulate(40_000, seed=5), longer[:40_000])


def test_chunks_do_not_repeat_one_another():
    table = simulate(65_536, seed=6)
    assert not np.array_equal(table[:32_768], table[32_768:])


@pytest.mark.parametrize(
    ("rows", "seed", "field"), [(0, 1, "rows"), (-5, 1, "rows"), (5, -1, "seed")]
)
def test_a_table_that_cannot_be_made_is_refused(rows, seed, field):
    with pytest.raises(Refusal) as refused:
        simulate(rows, seed)
    assert refused.value.field == field


def test_marginals_are_plausible(people):
    assert 0.25 < people.rich.mean() < 0.30
    assert 0.45 < people.holds("SEX", "2").mean() < 0.50
    assert 0.70 < people.holds("RAC1P", "1").mean() < 0.80
    assert 0.03 < people.holds("RELP", "13").mean() < 0.07
    assert people.holds("RELP", "14").mean() < 0.001
    assert people.holds("OCCP", "EXT").mean() < 0.005


def test_hours_are_heaped_on_round_numbers(people):
    counts = np.bincount(people.hours, minlength=100)
    assert counts.argmax() == 40
    for round_number in (20, 30, 35, 40, 45, 50, 60):
        assert counts[round_number] > 2 * counts[[round_number - 1, round_number + 1]].max()
    assert counts[0] > 10 * counts[1]


def test_income_rises_with_schooling(people):
    levels = np.digitize(people.schooling, (16, 18, 20, 21, 22, 23))
    assert rising([people.rich[levels == level].mean() for level in range(7)])


def test_income_rises_with_hours(people):
    bands = np.digitize(people.hours, (1, 20, 35, 40, 45, 55))
    assert rising([people.rich[bands == band].mean() for band in range(7)])


def test_income_rises_until_middle_age_and_falls_after(people):
    bands = np.digitize(people.age, (20, 25, 35, 45, 55, 65, 75))
    shares = [people.rich[bands == band].mean() for band in range(8)]
    peak = int(np.argmax(shares))
    assert peak in (3, 4)
    assert rising(shares[: peak + 1])
    assert rising(shares[peak:][::-1])


def test_income_differs_by_sex_occupation_and_class_of_worker(people):
    def share(name, value):
        return people.rich[people.holds(name, value)].mean()

    assert share("SEX", "1") > share("SEX", "2") + 0.1
    assert share("OCCP", "ENG") > share("OCCP", "OFF") + 0.3 > share("OCCP", "EAT") + 0.3
    assert share("COW", "5") > share("COW", "1") > share("COW", "6") > share("COW", "8")


def test_schooling_follows_age(people):
    graduate = people.schooling >= 21
    bands = np.digitize(people.age, (19, 22, 25))
    assert rising([graduate[bands == band].mean() for band in range(4)])
    assert (people.schooling[people.age == 17] < 16).mean() > 0.8


def test_schooling_leans_lightly_on_race_and_more_on_area_of_birth(codes):
    assert 0.01 < information(codes, 2, 6) < information(codes, 2, 9) < 0.1


def test_marital_status_follows_age(people):
    bands = np.digitize(people.age, (20, 25, 35, 50, 65))
    single, widowed = people.holds("MAR", "5"), people.holds("MAR", "2")
    assert rising([-single[bands == band].mean() for band in range(6)])
    assert rising([widowed[bands == band].mean() for band in range(6)])


def test_relationship_follows_marital_status_and_age(people):
    spouse, child = people.holds("RELP", "1"), people.holds("RELP", "2")
    assert people.holds("MAR", "1")[spouse].all()
    assert rising([-child[people.age // 10 == decade].mean() for decade in range(1, 8)])


def test_occupation_follows_schooling_and_sex(people):
    graduate, woman = people.schooling >= 21, people.holds("SEX", "2")
    occupation = people.text["OCCP"]
    assert graduate[occupation == "SCI"].mean() > 0.7 > 0.1 > graduate[occupation == "CLN"].mean()
    assert woman[occupation == "HLS"].mean() > 0.8 > 0.1 > woman[occupation == "CON"].mean()


def test_hours_follow_age_occupation_and_class_of_worker(people):
    prime = (people.age >= 25) & (people.age < 55)
    full = people.hours >= 40
    assert full[prime].mean() > 3 * full[people.age < 20].mean()
    assert (people.hours == 0)[people.age >= 75].mean() > 5 * (people.hours == 0)[prime].mean()
    assert full[people.holds("OCCP", "MGR")].mean() > full[people.holds("OCCP", "PRS")].mean() + 0.3
    assert full[people.holds("COW", "5")].mean() > full[people.holds("COW", "8")].mean() + 0.3


def test_class_of_worker_follows_occupation(people):
    local = people.holds("COW", "3")
    assert local[people.holds("OCCP", "EDU")].mean() > 0.4
    assert local[people.holds("OCCP", "PRD")].mean() < 0.05
    assert people.holds("COW", "4", "5")[people.holds("OCCP", "MIL")].all()


def test_race_follows_world_area_of_birth(people):
    def share(area, race):
        return people.holds("RAC1P", race)[people.holds("WAOB", area)].mean()

    assert share("4", "4") > 0.8 > 0.1 > share("1", "4")
    assert share("6", "2") > 0.5 > 0.2 > share("1", "2")
    assert share("5", "1") > 0.9


@pytest.mark.parametrize(
    ("first", "second", "bits"),
    [
        *(("MAR", "RELP", 0.4), ("SCHL", "OCCP", 0.3), ("AGEP", "MAR", 0.25)),
        *(("RAC1P", "WAOB", 0.2), ("COW", "OCCP", 0.2), ("AGEP", "RELP", 0.2)),
        *(("OCCP", "SEX", 0.15), ("OCCP", "WAGP", 0.12), ("WKHP", "WAGP", 0.12)),
        *(("AGEP", "WKHP", 0.12), ("SCHL", "WAGP", 0.1)),
    ],
)
def test_there_is_something_to_learn(codes, first, second, bits):
    assert information(codes, NAMES.index(first), NAMES.index(second)) > bits


def test_about_as_many_records_are_unique_as_in_the_published_table():
    weights = np.concatenate([np.cumprod(CARDINALITIES[:0:-1])[::-1], [1]]).astype(np.int64)
    keys = simulate(1_494_974, seed=9).astype(np.int64) @ weights
    _, counts = np.unique(keys, return_counts=True)
    assert (counts == 1).sum() / len(keys) == pytest.approx(0.684, abs=0.03)


def test_the_shipped_table_is_what_its_seed_makes(tmp_path):
    write(SHIPPED_ROWS, tmp_path / "census.csv", SHIPPED_SEED)
    assert (tmp_path / "census.csv").read_bytes() == TABLE.read_bytes()


def test_every_shipped_value_is_in_the_schema():
    records = encode(read_table(TABLE), schema())
    assert np.array_equal(records.codes, simulate(SHIPPED_ROWS, SHIPPED_SEED))


def test_the_shipped_table_is_small_and_plain():
    text = TABLE.read_bytes()
    assert len(text) < 3_000_000
    assert text.startswith((",".join(NAMES) + "\n").encode())
    assert text.count(b"\n") == SHIPPED_ROWS + 1
    assert not set(text) & set(b'\r" ')


def test_writing_crosses_chunks_with_one_header(tmp_path):
    write(40_000, tmp_path / "people.csv", seed=5)
    records = encode(read_table(tmp_path / "people.csv"), schema())
    assert np.array_equal(records.codes, simulate(40_000, seed=5))


def test_a_place_that_cannot_be_written_is_refused_and_nothing_is_left(tmp_path):
    (tmp_path / "taken").mkdir()
    for destination in (tmp_path / "absent" / "census.csv", tmp_path / "taken"):
        with pytest.raises(Refusal) as refused:
            write(100, destination, seed=1)
        assert refused.value.field == "destination"
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_refused_table_leaves_no_file(tmp_path):
    with pytest.raises(Refusal):
        write(0, tmp_path / "census.csv", seed=1)
    assert not list(tmp_path.iterdir())


def test_the_columns_with_rules_are_those_without() -> None:
    found = census.schema(ruled=True)
    assert (found.names, found.derived[0].name) == (NAMES, "AGE_BAND")
    assert tuple(found.cardinalities) == CARDINALITIES
    assert found.column("SCHL").levels


def test_everybody_keeps_the_rules_that_the_census_is_said_to_keep() -> None:
    found = census.schema(ruled=True)
    assert found.declared
    many = Records(found, census.simulate(30_000, 17))
    for rule in found.rules:
        checked = check_rule(many, rule)
        assert (checked.broken, bool(checked.met)) == (0, True), rule.text
