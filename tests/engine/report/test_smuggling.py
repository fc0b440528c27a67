"""Nothing internal gets into a packet: dozens of ways in, each of them closed."""

from __future__ import annotations

import dataclasses
import json
import shutil
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.report.conftest import CANARY, COVER, Made, Making, records, schema
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation
from understudy.ledger.events import Debited
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.statement import ReleasedFile
from understudy.report.contents import PARTS, Contents
from understudy.report.cover import Cover
from understudy.report.guarantee_file import Statement
from understudy.report.ledger_extract import LedgerExtract
from understudy.report.outputs import ReleasedTables, SyntheticTable
from understudy.report.packet import make_packet, packet_as_zip, read_contents
from understudy.report.versions import Versions
from understudy.runs.folder import RunFolder
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

INTERNAL: tuple[Any, ...] = (
    RunFigures((), (), (), ()),
    Evaluation((), 0, "job", ()),
    records(schema()),
    {"passed": 12},
    [CANARY],
    CANARY,
    np.zeros(3),
    None,
)


@pytest.fixture(scope="module")
def contents(originals: Callable[[str], Path]) -> Contents:
    """What may be published of a run; frozen, so one for all tests."""
    home = originals("attempts")
    run = RunFolder(next((home / "runs").iterdir()))
    return read_contents(run, COVER, Ledger(home / "ledger.sqlite"))


@pytest.mark.parametrize("part", list(PARTS))
@pytest.mark.parametrize("internal", INTERNAL, ids=lambda each: type(each).__name__)
def test_no_part_of_a_packet_can_be_anything_internal(
    contents: Contents, part: str, internal: Any
) -> None:
    with pytest.raises(TypeError, match=part):
        dataclasses.replace(contents, **{part: internal})


@pytest.mark.parametrize("part", list(PARTS))
def test_nor_can_it_be_of_a_subclass(contents: Contents, part: str) -> None:
    kind = type(getattr(contents, part))
    inherits: Any = type("Sub", (kind,), {})
    fake = object.__new__(inherits)
    for name, value in vars(getattr(contents, part)).items():
        object.__setattr__(fake, name, value)
    with pytest.raises(TypeError, match=part):
        dataclasses.replace(contents, **{part: fake})


def test_the_types_of_a_packet_leave_no_room(contents: Contents) -> None:
    assert typing.get_type_hints(Contents) == dict(PARTS)
    for kind in PARTS.values():
        assert getattr(kind, "__final__", False), kind


@pytest.mark.parametrize("name", ["rows", "sha256", "stained", "plan", "schema"])
@pytest.mark.parametrize("value", [CANARY, 1.5, {"rows": 1}, None, np.int64(3)])
def test_a_statement_is_made_from_its_parts_only(contents: Contents, name: str, value: Any) -> None:
    parts = {
        each.name: getattr(contents.statement, each.name)
        for each in dataclasses.fields(Statement)
        if each.init
    }
    with pytest.raises(TypeError):
        Statement(**{**parts, name: value})
    with pytest.raises(TypeError):
        Statement(**parts, said={"guarantee": CANARY})  # type: ignore[call-arg]


def test_what_is_slipped_into_a_plan_or_schema_past_its_checks_stays_out(
    contents: Contents,
) -> None:
    said = contents.statement
    plan = said.plan.model_copy(update={"policies": {CANARY: "clip"}})
    object.__setattr__(plan, "note", CANARY)
    column = said.schema.columns[0].model_copy(update={"extra": CANARY})
    slipped = Schema.model_construct(
        columns=(column, *said.schema.columns[1:]), declaration=said.schema.declaration
    )
    made = Statement(plan, slipped, said.released, said.stained)
    assert CANARY not in made.to_json()
    assert CANARY not in repr(made)


def test_a_plan_or_column_of_another_class_is_turned_away(contents: Contents) -> None:
    said = contents.statement

    class More(Plan, what="more"):
        passed: int = 12

    plan = More(**dict(said.plan))
    with pytest.raises(TypeError):
        Statement(plan, said.schema, said.released, said.stained)

    class Wider(Column, what="wider"):
        counted: int = 4711

    columns = tuple(Wider.model_construct(**dict(each)) for each in said.schema.columns)
    wide = Schema.model_construct(columns=columns, declaration=said.schema.declaration)
    made = Statement(said.plan, wide, said.released, said.stained)
    assert {type(each) for each in made.schema.columns} == {Column}


def test_records_that_no_run_released_are_no_table(contents: Contents) -> None:
    confidential = records(contents.statement.schema)
    with pytest.raises(Refusal):
        SyntheticTable(confidential, contents.statement.tables[0].sha256)
    loose = object.__new__(SyntheticTable)
    object.__setattr__(loose, "records", confidential)
    written = SyntheticTable.hash_csv(loose)
    tables = ReleasedTables({"synthetic": SyntheticTable(confidential, written)})
    with pytest.raises(Refusal):
        dataclasses.replace(contents, tables=tables)
    said = contents.statement
    other = Statement(
        said.plan,
        said.schema,
        (ReleasedFile("synthetic", written, len(confidential)),),
        said.stained,
    )
    with pytest.raises(Refusal, match="ledger"):
        dataclasses.replace(contents, tables=tables, statement=other)


def test_records_of_a_subclass_are_no_table(contents: Contents) -> None:
    class Marked(Records):
        note = CANARY

    table = contents.tables.found["synthetic"]
    fake = Marked(table.records.schema, table.records.codes)
    with pytest.raises(TypeError):
        SyntheticTable(fake, table.sha256)
    with pytest.raises(TypeError):
        ReleasedTables({"synthetic": fake})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "name", ["runs", "unpromised", "tables", "head", "released_sha256", "spent"]
)
@pytest.mark.parametrize("value", [CANARY, 1.5, {"fingerprint": CANARY}, np.int64(3)])
def test_a_ledger_extract_holds_nothing_else(contents: Contents, name: str, value: Any) -> None:
    with pytest.raises(TypeError):
        dataclasses.replace(contents.ledger, **{name: value})


def test_a_debit_that_says_more_than_its_plan_is_refused(contents: Contents) -> None:
    debit = contents.ledger.debit
    more = Debited.model_construct(**{**dict(debit), "plan": {**debit.plan, "passed": CANARY}})
    ledger = dataclasses.replace(contents.ledger, debit=more)
    with pytest.raises(Refusal, match="ledger"):
        dataclasses.replace(contents, ledger=ledger)


@pytest.mark.parametrize(
    "change",
    [
        {"libraries": {"numpy": CANARY}},
        {"understudy": f"1.0 {CANARY}"},
        {"python": "3.11\nPassed: 12"},
        {"run": {"at": "2026"}},
        {"computer": CANARY},
    ],
)
def test_versions_are_versions(contents: Contents, change: dict[str, Any]) -> None:
    with pytest.raises(Refusal):
        Versions.read({**contents.versions.as_dict(), **change})


def test_a_cover_of_unchecked_texts_is_checked_again(contents: Contents) -> None:
    cover = Cover.model_construct(title="x\x00", by="", dated="", dataset="", note="")
    with pytest.raises(Refusal):
        dataclasses.replace(contents, cover=cover)
    with pytest.raises(Refusal):
        Cover.read({**COVER.model_dump(), "passed": "12"})


def in_folder(made: Made) -> None:
    (made.run.release / "figures.json").write_text(CANARY)
    (made.run.release / f"{CANARY}.csv").write_text(CANARY)
    (made.run.path / "notes.txt").write_text(CANARY)


def in_internal(made: Made) -> None:
    made.run.internal.mkdir(exist_ok=True)
    for name in ("figures.json", "evidence.npz", "evaluation.json"):
        (made.run.internal / name).write_text(CANARY)
    (made.run.release / "more").symlink_to(made.run.internal)


def in_shelf(made: Made) -> None:
    for place in (made.place, made.place / ".shelf", made.place / ".making-abc"):
        place.mkdir(exist_ok=True)
        (place / "x.json").write_text(CANARY)


def in_ledger(made: Made) -> None:
    assert CANARY in made.ledger.export()


def in_progress(made: Made) -> None:
    said = {"state": "finished", "attempts": 400, "passed": 4711, "message": CANARY}
    (made.run.path / "progress.json").write_text(json.dumps(said))


def nothing(made: Made) -> None:
    """The canaries that are there anyhow."""


@pytest.mark.parametrize(
    "plant", [in_folder, in_internal, in_shelf, in_ledger, in_progress, nothing]
)
def test_whatever_lies_beside_it_is_not_in_the_packet(
    run_of: Making, plant: Callable[[Made], None]
) -> None:
    made = run_of()
    plant(made)
    packet = made.packet()
    for path in packet.path.iterdir():
        found = path.read_bytes()
        assert CANARY.encode() not in found, path.name
        assert made.run.identity.encode() not in found, path.name
        assert b"d-0123456789abcdef" not in found, path.name
    assert CANARY.encode() not in packet_as_zip(packet)


def extra_key(said: dict[str, Any]) -> None:
    said["passed"] = CANARY


def note_key(said: dict[str, Any]) -> None:
    said["guarantee"]["note"] = CANARY


def other_words(said: dict[str, Any]) -> None:
    said["guarantee"]["covers"] = CANARY
    said["made_by"] = f"understudy {CANARY} 12"


@pytest.mark.parametrize("change", [extra_key, note_key, other_words])
def test_words_put_into_the_runs_statement_stay_there(
    run_of: Making, change: Callable[[dict[str, Any]], None]
) -> None:
    made = run_of()
    said = json.loads(made.run.guarantee.read_text())
    change(said)
    made.run.guarantee.write_text(json.dumps(said))
    packet = made.packet()
    assert not any(CANARY.encode() in path.read_bytes() for path in packet.path.iterdir())


def smaller_epsilon(said: dict[str, Any]) -> None:
    said["guarantee"]["epsilon"] = 0.1


def other_rows(said: dict[str, Any]) -> None:
    said["table"]["rows"] += 1


def other_plan(said: dict[str, Any]) -> None:
    said["plan"]["attempts"] = 1


def no_table(said: dict[str, Any]) -> None:
    del said["table"]


def other_hash(said: dict[str, Any]) -> None:
    said["table"]["sha256"] = "0" * 64


@pytest.mark.parametrize("change", [smaller_epsilon, other_rows, other_plan, no_table, other_hash])
def test_a_statement_that_was_changed_makes_no_packet(
    run_of: Making, change: Callable[[dict[str, Any]], None]
) -> None:
    made = run_of()
    said = json.loads(made.run.guarantee.read_text())
    change(said)
    made.run.guarantee.write_text(json.dumps(said))
    with pytest.raises(Refusal):
        made.packet()
    assert not any(made.place.glob("*")) if made.place.exists() else True


def confidential_table(made: Made) -> None:
    from understudy.table.encoding import to_csv_bytes

    made.run.table.write_bytes(to_csv_bytes(records(schema())))


def linked_table(made: Made) -> None:
    kept = made.run.path / "elsewhere.csv"
    shutil.copy(made.run.table, kept)
    made.run.table.unlink()
    made.run.table.symlink_to(kept)


def more_rows(made: Made) -> None:
    with made.run.table.open("a") as file:
        file.write("30,C,1.00\n")


def other_plan_file(made: Made) -> None:
    plan = Plan.from_json(made.run.read_text("plan.json"))
    made.run.write_text("plan.json", plan.change(schema(), attempts=1).to_json())


def undeclared(made: Made) -> None:
    found = Schema.from_json(made.run.read_text("schema.json"))
    made.run.write_text("schema.json", Schema(columns=found.columns).to_json())


def unstained(made: Made) -> None:
    about = json.loads(made.run.read_text("run.json"))
    made.run.write_text("run.json", json.dumps({**about, "stained": not about["stained"]}))


def renamed(made: Made) -> None:
    made.run.path.rename(made.run.path.with_name("20261121T101112-release-other"))


@pytest.mark.parametrize(
    "change",
    [
        confidential_table,
        linked_table,
        more_rows,
        other_plan_file,
        undeclared,
        unstained,
        renamed,
    ],
)
def test_a_run_that_was_changed_makes_no_packet(
    run_of: Making, change: Callable[[Made], None]
) -> None:
    made = run_of()
    change(made)
    with pytest.raises(Refusal):
        made.packet()


def test_a_run_that_the_ledger_does_not_know_makes_no_packet(
    run_of: Making, tmp_path: Path
) -> None:
    made = run_of()
    with pytest.raises(Refusal, match="ledger"):
        make_packet(made.run, made.place, COVER, ledger=Ledger(tmp_path / "x" / "ledger.sqlite"))


def test_a_cover_has_to_be_one(run_of: Making) -> None:
    made = run_of()
    with pytest.raises(TypeError):
        make_packet(made.run, made.place, RunFigures((), (), (), ()), ledger=made.ledger)  # type: ignore[arg-type]


def test_an_extract_of_the_ledger_reads_back_as_it_was(contents: Contents) -> None:
    said = json.loads(json.dumps(contents.ledger.as_dict()))
    assert LedgerExtract.read(said) == contents.ledger
    with pytest.raises(Refusal):
        LedgerExtract.read({**said, "fingerprint": CANARY})
