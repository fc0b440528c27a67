"""Simulated tables as archives have them: what is written, and that it is what it says."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from understudy.core.refusal import Refusal
from understudy.samples import archives
from understudy.samples.archives import write_hospital, write_panel, write_questionnaire
from understudy.table.authoring.derivation_edits import count_mismatches
from understudy.table.encoding import encode_unrepaired
from understudy.table.rules.conflicts import list_idle_rules
from understudy.table.rules.rule_check import check_rule
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

Rows = list[dict[str, str]]


def read(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


@pytest.fixture(scope="module")
def stays() -> Rows:
    return read(archives.HOSPITAL)


@pytest.fixture(scope="module")
def waves() -> Rows:
    return read(archives.PANEL)


@pytest.mark.parametrize(
    ("write", "many", "shipped"),
    [
        (write_hospital, archives.SHIPPED_STAYS, archives.HOSPITAL),
        (write_panel, archives.SHIPPED_PEOPLE, archives.PANEL),
    ],
)
def test_the_files_are_those_that_are_simulated_and_small(
    write: Callable[..., None], many: int, shipped: Path, tmp_path: Path
) -> None:
    write(many, tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_bytes() == shipped.read_bytes()
    write(100, tmp_path / "few.csv")
    assert shipped.read_bytes().startswith((tmp_path / "few.csv").read_bytes())
    write(100, tmp_path / "others.csv", 7)
    assert (tmp_path / "few.csv").read_bytes() != (tmp_path / "others.csv").read_bytes()
    assert shipped.stat().st_size < 1_000_000


def test_stays_are_in_order_and_of_patients_that_stay_who_they_are(stays: Rows) -> None:
    assert tuple(stays[0]) == archives.HOSPITAL_COLUMNS
    assert len({row["encounter_no"] for row in stays}) == len(stays)
    patients: dict[str, set[tuple[str, ...]]] = {}
    for row in stays:
        who = tuple(row[name] for name in ("surname", "forename", "birth_date", "sex"))
        patients.setdefault(row["patient_no"], set()).add(who)
        begun, ended = (
            datetime.strptime(row[name], "%d.%m.%Y %H:%M")
            for name in ("admitted_at", "discharged_at")
        )
        assert datetime.strptime(row["birth_date"], "%d.%m.%Y") < begun <= ended
        parts = sum(float(row[f"{name}_cost"]) for name in ("ward", "drug", "theatre"))
        assert float(row["total_cost"]) == pytest.approx(parts)
    assert all(len(each) == 1 for each in patients.values())
    assert 0.8 < len(patients) / len(stays) < 0.9


def test_each_code_for_missing_occurs_and_nothing_else_is_like_it(stays: Rows, waves: Rows) -> None:
    for name in ("systolic", "weight_kg", "smoker"):
        codes = {row[name] for row in stays} & set(archives.HOSPITAL_CODES)
        assert codes == set(archives.HOSPITAL_CODES)
    for name in ("hours_per_week", "income", "rent"):
        below = {row[name] for row in waves if row[name].startswith("-")}
        assert below == set(archives.PANEL_CODES)


def test_a_person_of_the_panel_has_each_wave_once_and_one_weight(waves: Rows) -> None:
    assert tuple(waves[0]) == archives.PANEL_COLUMNS
    people: dict[str, Rows] = {}
    for row in waves:
        people.setdefault(row["person"], []).append(row)
        assert "," in row["survey_weight"]
    assert len(people) == archives.SHIPPED_PEOPLE
    for rows in people.values():
        assert [row["wave"] for row in rows] == ["1", "2", "3"][: len(rows)]
        assert len({(row["survey_weight"], row["birth_year"]) for row in rows}) == 1


def test_a_questionnaire_has_its_columns_and_answers_of_a_block_are_alike(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    write_questionnaire(60, path)
    header, *rows = (line.split(";") for line in path.read_text(encoding="utf-8").splitlines())
    assert (len(header), len(set(header)), len(rows)) == (2_500, 2_500, 60)
    assert tuple(header) == archives.questionnaire_columns()
    assert {len(row) for row in rows} == {2_500}
    assert {answer for row in rows for answer in row[3:]} == {*"12345", "8", "9"}


@pytest.mark.parametrize("write", [write_hospital, write_panel, write_questionnaire])
def test_what_cannot_be_made_is_refused(write: Callable[..., None], tmp_path: Path) -> None:
    for many, seed in ((0, 1), (3, -1)):
        with pytest.raises(Refusal):
            write(many, tmp_path / "no.csv", seed)
    with pytest.raises(Refusal):
        write(3, tmp_path / "nowhere" / "no.csv")
    assert list(tmp_path.iterdir()) == []


def test_stays_keep_the_rules_that_everybody_knows() -> None:
    raw = read_table(archives.HOSPITAL)
    schema = Schema.load(archives.HOSPITAL_SCHEMA)
    assert schema.declared
    records = encode_unrepaired(raw, schema)
    for rule in schema.rules:
        assert check_rule(records, rule).broken == 0
    assert not list_idle_rules(schema, schema.rules)
    assert not any(each.records for each in count_mismatches(raw, schema))
    assert {"age_band", "nights", "total_cost"} <= {each.name for each in schema.derived}
    assert any(column.levels for column in schema.columns)
