"""Whether the tables, the ledger extract and the documents of a packet are what its facts make."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from engine.core.numerals import count
from engine.mechanisms.statement import released_of
from engine.privacy.budget import Budget
from engine.privacy.neighbours import Neighbours
from engine.report import files
from engine.report.alike import LAST_PLACES, alike, difference
from engine.report.checking import Checking, Elsewhere, failed
from engine.report.contents import Contents
from engine.report.documents import documents
from engine.report.ledger_extract import LedgerExtract
from engine.report.outputs import ReleasedFigures
from engine.report.table import SyntheticTable, most_lines, read_csv
from engine.report.versions import Versions
from engine.runs.debit import debited
from engine.table.seed_mark import marked_schema
from engine.table.typed import as_arrow


def table(packet: Checking) -> str:
    """Rows, columns, values and hash of the table. Finds “table”."""
    said, schema = packet.need("said"), packet.need("schema")
    data = packet.bundle.read(packet.names.csv)
    shown = marked_schema(schema) if "stain" in said else schema
    if data.count(b"\n") > most_lines(shown, said["table"]["rows"]):
        raise failed(f"It has more than the {said['table']['rows']:,} rows that are stated.")
    records = read_csv(data, shown)
    if len(records) != said["table"]["rows"]:
        raise failed(f"It has {len(records):,} rows, not {said['table']['rows']:,}.")
    if list(shown.names) != said["table"]["columns"]:
        raise failed("It has other columns than stated.")
    found = SyntheticTable(records, said["table"]["sha256"])
    sink = io.BytesIO()
    found.write_csv(sink)
    if sink.getvalue() != data:
        raise failed("Its values stand in the file otherwise than a run writes them.")
    packet.found["table"] = found
    return f"{len(found):,} rows, {len(shown):,} columns."


def figures(packet: Checking) -> str:
    """The figures beside the table are those that were released. Finds “figures”."""
    stated = released_of(packet.need("said"))[1:]
    there = files.OUTPUTS in packet.bundle.names
    if there is not bool(stated):
        raise failed("There are figures that nothing is stated of, or they are missing.")
    said = packet.json(files.OUTPUTS) if there else {}
    if list(said) != [each.output for each in stated]:
        raise failed("There are other figures than stated.")
    found = ReleasedFigures(said, {each.output: each.sha256 for each in stated})
    packet.found["figures"] = found
    return f"{count(len(stated), 'output')} of figures." if stated else "None, as stated."


def parquet(packet: Checking) -> str:
    """The Parquet file holds the same table, and no byte more where the same library wrote it."""
    found: SyntheticTable = packet.need("table")
    data = packet.bundle.read(packet.names.parquet)
    versions: Versions = packet.need("versions")
    if versions.libraries["pyarrow"] == pa.__version__:
        if _parquet_of(found) != data:
            raise failed("It is not the same table, or holds something beside it.")
        return "The same values."
    try:
        with pq.ParquetFile(pa.BufferReader(data)) as file:
            if file.metadata.num_rows != len(found):
                raise failed("It has another number of rows.")
            there = file.read()
    except (pa.ArrowException, OSError):
        raise failed("It cannot be read.") from None
    if not there.equals(as_arrow(found.records), check_metadata=True):
        raise failed("Its values or types are others.")
    return (
        "The same values. Whether there is more in the file, only the library that is said to "
        "have written it can tell."
    )


def _parquet_of(found: SyntheticTable) -> bytes:
    sink = pa.BufferOutputStream()
    found.write_parquet(sink)
    return bytes(sink.getvalue())


def ledger(packet: Checking) -> str:
    """The ledger extract is of this run, and its sums hold it. Finds “ledger”."""
    extract = LedgerExtract.read(packet.json(files.LEDGER))
    said, decided = packet.need("said"), packet.need("decided")
    stained, made = "stain" in said, decided.guarantee
    paid = debited(decided, stained=stained)
    if difference(extract.debit.body(), paid.body()) is not None:
        raise failed("The debit is of another run.")
    if extract.released_sha256 != said["table"]["sha256"]:
        raise failed("The table that it says was released is another.")
    if extract.neighbours not in {made.neighbours, Neighbours.REPLACEMENTS}:
        raise failed("Its sum is about other tables than this run promises anything about.")
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
        raise failed("It counts fewer runs than this one.")
    if not 1 <= extract.tables <= extract.runs:
        raise failed("It counts runs on no table, or tables without a run.")
    if not promised and extract.unpromised < 1:
        raise failed("It leaves this run out, which promises nothing.")
    if promised and extract.unpromised == extract.runs:
        raise failed("It leaves this run out.")


def _check_spent(extract: LedgerExtract, total: Budget) -> None:
    """Check that what was spent in all can hold what this run promises."""
    spent = extract.spent
    if not spent.bounded:
        return
    pairs = ((spent.epsilon, total.epsilon), (spent.delta, total.delta))
    if any(all_of_them < own * (1 - LAST_PLACES) for all_of_them, own in pairs):
        raise failed("Less was spent in all than by this run alone.")
    alone = extract.runs - extract.unpromised == 1
    if alone and not all(alike(float(one), float(other)) for one, other in pairs):
        raise failed("This run is the only one, and something else was spent in all.")


def _check_population(extract: LedgerExtract, own: Budget | None) -> None:
    """Check the figure between populations: there only where this run claims a secret sample, no
    less than its own, and no more than what is between tables."""
    found = extract.population
    alone = extract.runs - extract.unpromised == 1
    if found is None:
        if alone and own is not None:
            raise failed("It leaves out what was spent between populations.")
        return
    if own is None:
        raise failed("It speaks of a population that this run does not claim.")
    low, high = own.epsilon * (1 - LAST_PLACES), extract.spent.epsilon * (1 + LAST_PLACES)
    if not low <= found.epsilon <= high or (alone and not alike(found.epsilon, own.epsilon)):
        raise failed("What was spent between populations is something else.")


def _check_budget(extract: LedgerExtract) -> None:
    spent, budget = extract.spent, extract.budget
    if budget is not None and not (
        spent.bounded and spent.epsilon <= budget.epsilon and spent.delta <= budget.delta
    ):
        raise failed("More was spent than was allowed.")


def made_of_these(packet: Checking) -> str:
    """Report, dictionary and the other documents are made again, byte for byte."""
    if not packet.same_version:
        raise Elsewhere
    contents = Contents(
        packet.need("cover"),
        packet.need("table"),
        packet.need("statement"),
        packet.need("ledger"),
        packet.need("figures"),
        packet.need("versions"),
    )
    form = packet.need("form")
    if form["formulas_neutralised"] is not contents.table.neutralised:
        raise failed("packet.json says otherwise whether formulas were made harmless.")
    made = documents(contents, packet.need("stored"), form["files"])
    for name in (files.STATEMENT, files.STATEMENT_TEXT):
        del made[name]  # checked by themselves, where figures may differ in the last places
    others = [name for name, text in made.items() if packet.bundle.read(name) != text.encode()]
    if others:
        raise failed(f"Not what these facts make: {', '.join(others)}.")
    pdf = " The PDF is checked by its hash only." if files.REPORT_PDF in form["files"] else ""
    return f"{len(made):,} files.{pdf}"
