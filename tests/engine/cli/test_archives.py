"""Tables as archives have them, from the file to a verified packet by the command line, with
nothing edited in between.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from tests.engine.cli.conftest import Ended
from understudy.samples import archives
from understudy.table.schema import Schema

Understudy = Callable[..., Ended]


@dataclass(frozen=True)
class Archive:
    """A table, and what its custodian says of it.

    Attributes:
        write: writes so many rows or people.
        many: how many.
        said: options of the suggestion.
        meanings: what its codes for missing mean.
        left_out: the columns that are not used, without those that are kept empty.
        empty: the columns that are kept empty.
        types: the type in Parquet of some columns.
        coded: columns with all codes for missing.
        spelled: columns with a sign of how they are written.
        derived: the formulas of columns of the file that are derived.
        new: the formulas of columns that are derived beside those of the file.
    """

    write: Callable[[int, Path], None]
    many: int
    said: tuple[str, ...]
    meanings: dict[str, str]
    left_out: frozenset[str]
    empty: tuple[str, ...]
    types: dict[str, pa.DataType]
    coded: tuple[str, ...]
    spelled: dict[str, str] = field(default_factory=dict)
    derived: dict[str, str] = field(default_factory=dict)
    new: dict[str, str] = field(default_factory=dict)


ITEMS = archives.questionnaire_columns()

FOLLOWS = {
    each.name: each.formula.formula
    for each in sorted(Schema.load(archives.HOSPITAL_SCHEMA).derived, key=lambda each: each.place)
}
"""The formulas of the hospital's derived columns, in the order of a released table."""

ARCHIVES = {
    "hospital": Archive(
        archives.write_hospital,
        1_500,
        ("--person", "patient_no", "--order", "admitted_at", "--most-per-person", "2",
         "--follows", "discharged_at=admitted_at+365",
         "--keep-empty", "*_no", "--keep-empty", "*name"),
        {f"{code}={meaning}": meaning for code, meaning in archives.HOSPITAL_CODES.items()},
        frozenset(),
        ("encounter_no", "patient_no", "surname", "forename"),
        {
            "birth_date": pa.date32(),
            "admitted_at": pa.timestamp("ms"),
            "discharged_at": pa.timestamp("ms"),
            "systolic": pa.int64(),
        },
        ("systolic", "weight_kg", "smoker"),
        {"birth_date": "..", "admitted_at": "..:", "discharged_at": "..:"},
        {"total_cost": FOLLOWS["total_cost"]},
        {name: text for name, text in FOLLOWS.items() if name != "total_cost"},
    ),
    "panel": Archive(
        archives.write_panel,
        700,
        ("--person", "person", "--order", "wave", "--most-per-person", "3",
         "--role", "weight=survey_weight", "--population", "survey_weight=8900000"),
        {f"{code}={meaning}": meaning for code, meaning in archives.PANEL_CODES.items()},
        frozenset({"person"}),
        (),
        {"hours_per_week": pa.int64(), "birth_year": pa.int64()},
        ("hours_per_week", "income", "rent"),
        {"survey_weight": ","},
    ),
    "questionnaire": Archive(
        archives.write_questionnaire,
        300,
        ("--only", "sex", "--only", "age", "--only", "q7_*"),
        {f"{code}={meaning}=q*": meaning for code, meaning in archives.QUESTIONNAIRE_CODES.items()},
        frozenset(each for each in ITEMS if not each.startswith("q7_")) - {"sex", "age"},
        (),
        {"age": pa.int64()},
        tuple(each for each in ITEMS if each.startswith("q7_")),
    ),
}  # fmt: skip


def rows_of(path: Path, delimiter: str = ",") -> tuple[list[str], list[dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter=delimiter)
        return list(rows.fieldnames or ()), list(rows)


_LONG = pytest.mark.thorough("test_from_the_file_to_a_verified_packet")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[_LONG] if name == "questionnaire" else []) for name in ARCHIVES],
)
def test_from_the_file_to_a_verified_packet(
    name: str, understudy: Understudy, tmp_path: Path
) -> None:
    archive = ARCHIVES[name]
    table, schema, out = (tmp_path / each for each in (f"{name}.csv", "schema.json", "out"))
    archive.write(archive.many, table)
    means = [part for each in archive.meanings for part in ("--missing-means", each)]
    formulas = {**archive.derived, **archive.new}.items()
    derive = [part for name, text in formulas for part in ("--derive", f"{name}={text}")]
    suggested = understudy("schema", table, "--out", schema, *archive.said, *means, *derive)
    assert suggested.status == 0, suggested.err
    declared = understudy(
        "schema", table, "--out", schema, "--declare-public", "--note", "the form of this test",
        "--origin", "questionnaire",
    )  # fmt: skip
    assert declared.status == 0, declared.err
    described = Schema.load(schema)
    made = understudy(
        "synthesize", table, "--schema", schema, "--out", out, "--new-people", "--keep",
        "--model", "marginals", "--omega", len(described), "--attempts", "400",
        "--demo-seed", "3", "--quiet", "--json",
    )  # fmt: skip
    assert made.status == 0, made.err
    packed = understudy("packet", "--title", name, "--no-pdf", "--out", tmp_path / "p")
    assert packed.status == 0, packed.err
    (packet,) = (tmp_path / "p").glob("*.zip")
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out

    _nothing_is_lost_in_silence(archive, table, suggested.out, packet.with_suffix(""))
    _values_come_back(archive, described, table, packet.with_suffix(""))
    if described.weights:
        _weights_come_to_the_population(understudy, described, packet.with_suffix(""))
    if archive.derived:
        computed = len(archive.derived) + len(archive.new)
        assert f"{computed} of them computed again from the others" in checked.out
        _stays_follow_from_each_other(packet.with_suffix(""))
    assert "differs from" not in suggested.out


def _stays_follow_from_each_other(packet: Path) -> None:
    """Totals add up, and ages, nights, bands and chapters are those of the same row."""
    _, made = rows_of(packet / "demonstration-synthetic.csv")
    assert len(made) > 300
    for row in made:
        parts = (row["ward_cost"], row["drug_cost"], row["theatre_cost"])
        assert Decimal(row["total_cost"]) == sum(map(Decimal, parts))
        came, went = (
            datetime.strptime(row[name], "%d.%m.%Y %H:%M").date()
            for name in ("admitted_at", "discharged_at")
        )
        born = datetime.strptime(row["birth_date"], "%d.%m.%Y").date()
        age = came.year - born.year - ((came.month, came.day) < (born.month, born.day))
        assert (int(row["age"]), int(row["nights"])) == (age, (went - came).days)
        assert 0 <= int(row["nights"]) <= 365
        assert row["age_band"] == ("child" if age < 18 else "adult" if age < 65 else "65 and over")
        assert row["chapter"] == row["diagnosis"][0]


def _weights_come_to_the_population(
    understudy: Understudy, described: Schema, packet: Path
) -> None:
    """The documents say by what weights are multiplied, and files of statistics programs have
    weights that are."""
    readme = " ".join((packet / "README.txt").read_text(encoding="utf-8").split())
    (factor,) = re.findall(r"8,900,000, which is public: .* each weight by ([0-9.]+)\.", readme)
    assert factor in (packet / "report.html").read_text(encoding="utf-8")
    _, made = rows_of(packet / "demonstration-synthetic.csv")
    weights = [float(row["survey_weight"].replace(",", ".")) for row in made]
    assert sum(weights) * float(factor) == pytest.approx(8_900_000)
    assert "adding up to 8,900,000" in (packet / "dictionary.csv").read_text(encoding="utf-8")
    assert described.column("survey_weight").measured
    for form in ("sav", "dta"):
        out = packet / f"table.{form}"
        exported = understudy("export", "--out", out)
        assert "“survey_weight_population” is added" in " ".join(exported.out.split())
        reader = pyreadstat.read_sav if form == "sav" else pyreadstat.read_dta
        frame, about = reader(str(out))
        assert frame["survey_weight_population"].tolist() == pytest.approx(
            [each * 8_900_000 / sum(weights) for each in weights]
        )
        title = about.column_names_to_labels["survey_weight_population"]
        assert title == "survey_weight, adding up to 8,900,000"


def _nothing_is_lost_in_silence(archive: Archive, table: Path, told: str, packet: Path) -> None:
    """Each column of the file is in the table, or named as left out wherever that is told."""
    names, _ = rows_of(table, ";")
    header, made = rows_of(packet / "demonstration-synthetic.csv")
    assert header[-1] == "not_private"
    kept = [each for each in names if each not in archive.left_out]
    assert header[:-1] == [*kept, *archive.new]
    assert {row[each] for row in made for each in archive.empty} <= {""}
    away = {*archive.left_out, *archive.empty}
    reasons = {row["column"]: row["left out"] for row in rows_of(packet / "dictionary.csv")[1]}
    assert {each for each, why in reasons.items() if why} == away
    assert {*reasons} == {*names, *archive.new, "not_private"}
    described = Schema.load(packet / "schema.json")
    assert {each.name for each in described.omissions} == away
    listed = " ".join(told.split())
    if len(away) < 30:
        assert all(each in listed for each in away)
    else:
        assert "and 2,417 more" in listed


def _values_come_back(archive: Archive, schema: Schema, table: Path, packet: Path) -> None:
    """Types, spellings and codes for missing are those of the file."""
    _, real = rows_of(table, ";")
    _, made = rows_of(packet / "demonstration-synthetic.csv")
    types = pq.read_table(next(packet.glob("*.parquet"))).schema
    assert {name: types.field(name).type for name in archive.types} == archive.types
    codes = {each.partition("=")[0]: means for each, means in archive.meanings.items()}
    for name in archive.coded:
        column = schema.column(name)
        assert {code.written: code.label for code in column.missing_codes} == codes
        assert not any(column.domain.holds(code) for code in codes)
    found = {row[name] for row in made for name in archive.coded}
    assert {*codes} <= found
    for name, signs in archive.spelled.items():
        assert {"".join(c for c in row[name] if c in ".:,") for row in (*made, *real)} == {signs}
    for column in schema.columns:
        if column.domain.scale == "list":
            assert {row[column.name] for row in made} <= {row[column.name] for row in real}
