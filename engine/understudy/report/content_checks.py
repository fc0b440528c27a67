"""Whether the tables, the ledger extract and the documents of a packet are what its facts make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from understudy.acceptance.outcome import NAME
from understudy.acceptance.statistics import asked_of
from understudy.core.numerals import count
from understudy.mechanisms.statement import TABLE, bind_release, released_of, stated_outputs
from understudy.models import noisy_tables
from understudy.privacy.budget import Budget, Neighbours
from understudy.report import files
from understudy.report.accepted import unlike
from understudy.report.alike import LAST_PLACES, alike, difference
from understudy.report.checking import Checking, Elsewhere, check_failure
from understudy.report.contents import Contents
from understudy.report.documents import documents
from understudy.report.files import Names
from understudy.report.ledger_extract import LedgerExtract
from understudy.report.outputs import ReleasedFigures, ReleasedTables
from understudy.report.table import SyntheticTable, most_lines, read_csv
from understudy.report.versions import Versions
from understudy.runs.debit import debit_of
from understudy.table.encoding import to_csv_bytes
from understudy.table.records import as_arrow
from understudy.table.schema import Schema
from understudy.table.seed_mark import marked_schema


def tables(packet: Checking) -> str:
    """Rows, columns, values and hash of each table. Finds “tables”."""
    said, decided = packet.need("said"), packet.need("decided")
    stated = {name: each for name, each in stated_outputs(said).items() if "rows" in each}
    schemas = {each.name: each.schema for each in decided.tables}
    if list(stated) != list(schemas):
        raise check_failure("There are other tables than the settings come to.")
    names = Names.of(decided.outputs, stained="stain" in said)
    if set(packet.bundle.names) | {files.REPORT_PDF} != set(names.all):
        raise check_failure("There are other files than these outputs come to.")
    found = {}
    for name, schema in schemas.items():
        shown = marked_schema(schema) if "stain" in said else schema
        found[name] = _table(packet.bundle.read(names.csv(name)), shown, stated[name])
    packet.found["tables"] = ReleasedTables(found)
    sizes = [f"{len(each):,} rows, {len(each.records.schema):,} columns" for each in found.values()]
    if len(sizes) > 1:
        sizes = [f"{name}: {size}" for name, size in zip(found, sizes, strict=True)]
    return f"{'; '.join(sizes)}." if sizes else "None, as stated."


def _table(data: bytes, shown: Schema, said: Mapping[str, Any]) -> SyntheticTable:
    """Return a table from its CSV file.

    Raises:
        Refusal: it is not the one that is stated.
    """
    if data.count(b"\n") > most_lines(shown, said["rows"]):
        raise check_failure(f"It has more than the {said['rows']:,} rows that are stated.")
    records = read_csv(data, shown)
    if len(records) != said["rows"]:
        raise check_failure(f"It has {len(records):,} rows, not {said['rows']:,}.")
    if list(shown.names) != said["columns"]:
        raise check_failure("It has other columns than stated.")
    found = SyntheticTable(records, said["sha256"])
    if to_csv_bytes(records) != data:
        raise check_failure("Its values stand in the file otherwise than a run writes them.")
    return found


def figures(packet: Checking) -> str:
    """Check that the figures are those that were released. Finds “figures”."""
    stated = [each for each in released_of(packet.need("said")) if each.rows is None]
    name = packet.names.outputs
    there = name in packet.bundle.names
    if there is not bool(stated):
        raise check_failure("There are figures that nothing is stated of, or they are missing.")
    said = packet.json(name) if there else {}
    if list(said) != [each.output for each in stated]:
        raise check_failure("There are other figures than stated.")
    found = ReleasedFigures(said, {each.output: each.sha256 for each in stated})
    _check_acceptance(packet, said)
    _check_noisy_tables(packet, said)
    packet.found["figures"] = found
    return f"{count(len(stated), 'output')} of figures." if stated else "None, as stated."


def _check_acceptance(packet: Checking, said: Mapping[str, Any]) -> None:
    """Check that intervals and verdicts follow from the noisy numbers, the plan and the table."""
    decided = packet.need("decided")
    if asked_of(decided.plan) is None or not packet.same_version:
        return
    records = packet.need("tables").found[TABLE].records
    where = unlike(decided, said[NAME], records)
    if where is not None:
        raise check_failure(f"The acceptance test comes to something else at {where}.")


def _check_noisy_tables(packet: Checking, said: Mapping[str, Any]) -> None:
    """Check that noisy tables are of columns that there are, whole, and with the intervals that
    follow from their noise."""
    if noisy_tables.NAME not in said or not packet.same_version:
        return
    wrong = noisy_tables.unlike(said[noisy_tables.NAME], packet.need("decided").schema)
    if wrong is not None:
        raise check_failure(f"Something is wrong with {wrong}.")


def parquet(packet: Checking) -> str:
    """Check that each Parquet file holds the same table, and no byte more where the same library
    wrote it."""
    found: ReleasedTables = packet.need("tables")
    versions: Versions = packet.need("versions")
    same_library = versions.libraries["pyarrow"] == pa.__version__
    for name, table in found.found.items():
        _check_parquet(packet.bundle.read(packet.names.parquet(name)), table, exactly=same_library)
    if not found.found:
        return "None, as stated."
    if same_library:
        return "The same values."
    return (
        "The same values. Whether there is more in the file, only the library that is said to "
        "have written it can tell."
    )


def _check_parquet(data: bytes, found: SyntheticTable, *, exactly: bool) -> None:
    """Check that a Parquet file holds a table.

    Args:
        data: the file.
        found: the table.
        exactly: whether it has to be the very file that would be written here.
    """
    if exactly:
        if _parquet_of(found) != data:
            raise check_failure("It is not the same table, or holds something beside it.")
        return
    try:
        with pq.ParquetFile(pa.BufferReader(data)) as file:
            if file.metadata.num_rows != len(found):
                raise check_failure("It has another number of rows.")
            there = file.read()
    except (pa.ArrowException, OSError):
        raise check_failure("It cannot be read.") from None
    if not there.equals(as_arrow(found.records), check_metadata=True):
        raise check_failure("Its values or types are others.")


def _parquet_of(found: SyntheticTable) -> bytes:
    sink = pa.BufferOutputStream()
    found.write_parquet(sink)
    return bytes(sink.getvalue())


def ledger(packet: Checking) -> str:
    """Check that the ledger extract is of this run, and its sums hold it. Finds “ledger”."""
    extract = LedgerExtract.read(packet.json(files.LEDGER))
    said, decided = packet.need("said"), packet.need("decided")
    stained, made = "stain" in said, decided.guarantee
    paid = debit_of(decided, stained=stained)
    if difference(extract.debit.body(), paid.body()) is not None:
        raise check_failure("The debit is of another run.")
    if extract.released_sha256 != bind_release(
        {each.output: each.sha256 for each in released_of(said)}
    ):
        raise check_failure("What it says was released is something else.")
    # Where no run promises anything there is no sum, and nothing that it would be about.
    summed = extract.unpromised < extract.runs
    if summed and extract.neighbours not in {made.neighbours, Neighbours.REPLACEMENTS}:
        raise check_failure("Its sum is about other tables than this run promises anything about.")
    _check_counts(extract, promised=made.total.bounded and not stained)
    if made.total.bounded and not stained:
        _check_spent(extract, made.total)
        _check_population(extract, made.population)
    _check_budget(extract)
    packet.found["ledger"] = extract
    return (
        f"{count(extract.runs, 'run')} on {count(extract.tables, 'table')} that the custodian "
        "said to be of the same people."
    )


def _check_counts(extract: LedgerExtract, *, promised: bool) -> None:
    if not 0 <= extract.unpromised <= extract.runs or extract.runs < 1:
        raise check_failure("It counts fewer runs than this one.")
    if not 1 <= extract.tables <= extract.runs:
        raise check_failure("It counts runs on no table, or tables without a run.")
    if not promised and extract.unpromised < 1:
        raise check_failure("It leaves this run out, which promises nothing.")
    if promised and extract.unpromised == extract.runs:
        raise check_failure("It leaves this run out.")


def _check_spent(extract: LedgerExtract, total: Budget) -> None:
    """Check that what was spent in all can hold what this run promises."""
    spent = extract.spent
    if not spent.bounded:
        return
    pairs = ((spent.epsilon, total.epsilon), (spent.delta, total.delta))
    if any(all_of_them < own * (1 - LAST_PLACES) for all_of_them, own in pairs):
        raise check_failure("Less was spent in all than by this run alone.")
    alone = extract.runs - extract.unpromised == 1
    if alone and not all(alike(float(one), float(other)) for one, other in pairs):
        raise check_failure("This run is the only one, and something else was spent in all.")


def _check_population(extract: LedgerExtract, own: Budget | None) -> None:
    """Check the figure between populations: there only where this run claims a secret sample, no
    less than its own, and no more than what is between tables."""
    found = extract.population
    alone = extract.runs - extract.unpromised == 1
    if found is None:
        if alone and own is not None:
            raise check_failure("It leaves out what was spent between populations.")
        return
    if own is None:
        raise check_failure("It speaks of a population that this run does not claim.")
    low, high = own.epsilon * (1 - LAST_PLACES), extract.spent.epsilon * (1 + LAST_PLACES)
    if not low <= found.epsilon <= high or (alone and not alike(found.epsilon, own.epsilon)):
        raise check_failure("What was spent between populations is something else.")


def _check_budget(extract: LedgerExtract) -> None:
    spent, budget = extract.spent, extract.budget
    if budget is not None and not (
        spent.bounded and spent.epsilon <= budget.epsilon and spent.delta <= budget.delta
    ):
        raise check_failure("More was spent than was allowed.")


def made_of_these(packet: Checking) -> str:
    """Report, dictionary and the other documents are made again, byte for byte."""
    if not packet.same_version:
        raise Elsewhere
    contents = Contents(
        packet.need("cover"),
        packet.need("tables"),
        packet.need("statement"),
        packet.need("ledger"),
        packet.need("figures"),
        packet.need("versions"),
    )
    form = packet.need("form")
    if form["formulas_neutralised"] is not contents.tables.neutralised:
        raise check_failure("packet.json says otherwise whether formulas were made harmless.")
    made = documents(contents, packet.need("stored"), form["files"])
    for name in (files.STATEMENT, files.STATEMENT_TEXT):
        del made[name]  # checked by themselves, where figures may differ in the last places
    others = [name for name, text in made.items() if packet.bundle.read(name) != text.encode()]
    if others:
        raise check_failure(f"Not what these facts make: {', '.join(others)}.")
    pdf = " The PDF is checked by its hash only." if files.REPORT_PDF in form["files"] else ""
    return f"{len(made):,} files.{pdf}"
