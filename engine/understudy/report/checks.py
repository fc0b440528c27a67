"""The checks of a packet: its form, its promise, and its contents, each from what the packet holds.

Its form is its files, their hashes, its title page and its guarantee. What it promises has to
follow from its settings and its schema, and the tables, the ledger extract and the documents have
to be what these facts make.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq

from understudy import __version__
from understudy.acceptance.outcome import NAME
from understudy.acceptance.statistics import asked_of
from understudy.core.numerals import count, round_up
from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.outputs import is_name
from understudy.mechanisms.plan import TAG
from understudy.mechanisms.registry import mechanism_of, plan_of, plan_run
from understudy.mechanisms.statement import TABLE, bind_release, released_of, stated_outputs
from understudy.models import noisy_tables
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import Strength, strength
from understudy.report import files
from understudy.report.acceptance import find_mismatch
from understudy.report.alike import LAST_PLACES, are_alike, find_difference, find_differences
from understudy.report.bundle import Bundle
from understudy.report.contents import Contents
from understudy.report.cover import Cover
from understudy.report.documents import json_text, make_documents
from understudy.report.files import FORMAT, Names
from understudy.report.guarantee_file import Statement, json_schema, statement_text
from understudy.report.ledger_extract import LedgerExtract
from understudy.report.outputs import (
    ReleasedFigures,
    ReleasedTables,
    SyntheticTable,
    count_most_lines,
    read_released_csv,
)
from understudy.report.versions import Versions
from understudy.runs.debit import make_debit
from understudy.table.encoding import to_csv_bytes
from understudy.table.known_totals import KnownTotals, compare_totals
from understudy.table.records import as_arrow
from understudy.table.rules.rule import Rule
from understudy.table.rules.rule_check import check_rule, count_breaches
from understudy.table.schema import Schema
from understudy.table.seed_mark import marked_schema


class Missing(Exception):
    """An earlier check found that something which this one needs is damaged."""


class Elsewhere(Exception):
    """A check can be made only by the version of the program that made the packet."""


@dataclass
class Checking:
    """The checks of one packet under way.

    Attributes:
        bundle: its files.
        found: what the checks so far made sure of, by name.
    """

    bundle: Bundle
    found: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def names(self) -> Names:
        """What the files are called, as far as the guarantee names outputs: as a demonstration's,
        where such a file is there. Whether these are its outputs is for later checks."""
        stained = any(name.startswith(files.STAINED) for name in self.bundle.names)
        try:
            found = released_of(json.loads(self.bundle.read(files.STATEMENT)))
            names = [each.output for each in found]
            if not names or not all(map(is_name, names)):
                return Names(stained)
        except (Refusal, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Names(stained)
        tables = tuple(each.output for each in found if each.rows is not None)
        apart = (each for each in tables if f"{each}-{files.DICTIONARY}" in self.bundle.names)
        counted = noisy_tables.NAME in names
        return Names(stained, tables, len(tables) < len(found), tuple(apart), counted)

    def need(self, what: str) -> Any:
        """Return what an earlier check found.

        Raises:
            Missing: it did not.
        """
        if what not in self.found:
            raise Missing
        return self.found[what]

    def json(self, name: str) -> Any:
        """Return what a file of JSON says, which has to be all that stands in it.

        Raises:
            Refusal: it is missing, or holds what nobody reads: a name twice, blanks, more digits
                than a figure has.
            ValueError: it is no JSON.
        """
        text = self.bundle.read(name).decode("utf-8")
        found = json.loads(text, parse_constant=_no_constant)
        if json_text(found) != text:
            raise check_failure(f"{name} is written otherwise than Understudy writes it.")
        return found

    @property
    def same_version(self) -> bool:
        """Whether the packet says that this version of the program made it; also where it does
        not say."""
        versions: Versions | None = self.found.get("versions")
        return versions is None or versions.understudy == __version__

    def failed_here(self, said: str) -> Exception:
        """Return what to raise where words differ: a failure, if they would be this version's
        own."""
        return check_failure(said) if self.same_version else Elsewhere()


Make = Callable[[Checking], str]
"""One check: what it found, in a sentence. It raises a Refusal where it fails."""


def check_failure(said: str) -> Refusal:
    """Return the refusal by which a check fails."""
    return Refusal(said, "Get the packet again from whoever made it.")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def check_files(packet: Checking) -> str:
    """Check that every file is there and no other."""
    known = set(packet.names.all)
    missing = sorted(known - {files.REPORT_PDF} - packet.bundle.names)
    if missing:
        raise check_failure(f"Missing: {', '.join(missing)}.")
    strange = packet.bundle.strangers + len(packet.bundle.names - known)
    if strange:
        raise check_failure(
            f"There are {strange:,} files or links that belong to no packet, or are too large."
        )
    return f"{len(packet.bundle.names):,} files."


def check_wrapping(packet: Checking) -> str:
    """Check that nothing is in the zip file but its files."""
    if packet.bundle.wrapping == "other zip file":
        raise check_failure(
            "The zip file is not the one that its files make: something may stand beside them, or "
            "another program packed it. Unpack it, and check the folder."
        )
    return f"A {packet.bundle.wrapping}."


def check_hashes(packet: Checking) -> str:
    """Check that every file has the hash that was noted. Finds “stored”, by name."""
    text = packet.bundle.read(files.SUMS).decode("ascii")
    noted = {line[66:]: line[:64] for line in text.splitlines()}
    present = sorted(packet.bundle.names - {files.SUMS})
    lines = "".join(f"{noted[name]}  {name}\n" for name in sorted(noted))
    if sorted(noted) != present or text != lines:
        raise check_failure("The list of hashes is not of these files.")
    stored = {name: packet.bundle.describe_file(name) for name in present}
    changed = [name for name, each in stored.items() if each.sha256 != noted[name]]
    if changed:
        raise check_failure(f"Changed since: {', '.join(changed)}.")
    packet.found["stored"] = stored
    return f"{len(present):,} files."


def check_form(packet: Checking) -> str:
    """Return the title page and the versions. Finds “cover”, “form” and “versions”."""
    said = packet.json(files.PACKET)
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise check_failure(f"It is of another form than {FORMAT}, which this version knows.")
    packet.found["cover"] = Cover.read({name: said[name] for name in Cover.model_fields})
    known = {"format", *Cover.model_fields, "demonstration", "formulas_neutralised", "files"}
    present = [name for name in packet.names.all if name in packet.bundle.names]
    if set(said) != known or said["files"] != present:
        raise check_failure(
            "It lists other files than there are, or holds what it has no place for."
        )
    if said["demonstration"] is not packet.names.stained:
        raise check_failure("Its files are named as what it says it is not.")
    packet.found["form"] = said
    packet.found["versions"] = Versions.read(packet.json(files.VERSIONS))
    return f"Form {FORMAT}."


def check_statement_schema(packet: Checking) -> str:
    """Check that the guarantee is as its JSON Schema says. Finds “said”."""
    said = packet.json(files.STATEMENT)
    ours = json_schema(_kind(said), alone=_alone(said))
    error = next(jsonschema.Draft202012Validator(json.loads(ours)).iter_errors(said), None)
    if error is not None:
        raise check_failure(f"Not as the schema says, at {error.json_path}.")
    if packet.bundle.read(files.STATEMENT_SCHEMA) != ours.encode() and packet.same_version:
        raise check_failure("The JSON Schema in the packet is not the one of this version.")
    if ("stain" in said) is not packet.names.stained:
        raise check_failure("Its files are named as what it says it is not.")
    packet.found["said"] = said
    return "Valid."


def _alone(said: Any) -> bool:
    """Return whether a statement is about one synthetic table, whatever stands there."""
    return not isinstance(said, dict) or (said.get("table") is not None and not said.get("outputs"))


def _kind(said: Any) -> str:
    """Return the kind of the plan of a statement, whatever stands there."""
    plan = said.get("plan") if isinstance(said, dict) else None
    return str(plan.get(TAG, UNTAGGED)) if isinstance(plan, dict) else UNTAGGED


def check_plan(packet: Checking) -> str:
    """Check that the settings are complete, and those of the guarantee. Finds “plan”."""
    said = packet.json(files.PLAN)
    if said != packet.need("said")["plan"]:
        raise check_failure("plan.json has other settings than the guarantee.")
    if "policies" in said:
        raise check_failure("It says how stray values were settled, which is not for publishing.")
    found = plan_of(said)
    packet.found["plan"] = found
    return f"{mechanism_of(found).title}."


def check_schema(packet: Checking) -> str:
    """Check that the schema was declared public, and is that of the settings. Finds “schema”."""
    check_text = packet.bundle.read(files.SCHEMA).decode("utf-8")
    found, settings = Schema.from_json(check_text), packet.need("plan")
    if check_text != found.to_json():
        raise check_failure("It holds more than a schema.")
    if not found.declared:
        raise check_failure("Nobody declared this very schema public.")
    if found.fingerprint != settings.domain:
        raise check_failure("The settings are for another schema.")
    packet.found["schema"] = found
    return f"{len(found):,} columns."


def check_total(packet: Checking) -> str:
    """Check that the stated total follows from the settings. Finds “decided”."""
    said = packet.need("said")
    found = plan_run(packet.need("plan"), packet.need("schema"))
    packet.found["decided"] = found
    made = found.guarantee
    stated = said["guarantee"]
    if "stain" in said:
        if (stated["epsilon"], stated["delta"], stated["strength"]) != (None, None, Strength.NONE):
            raise check_failure("A demonstration promises nothing, and this states a total.")
        return "A demonstration: nothing is promised, as stated."
    for name, figure in _follows(made).items():
        if not are_alike(stated[name], figure):
            raise check_failure(
                f"Stated is {name} = {stated[name]}; from the settings follows {figure}."
            )
    if stated["strength"] != strength(made.total):
        raise check_failure(
            f"It is called {stated['strength']}, and comes to {strength(made.total)}."
        )
    _check_population(stated["population"], made.population)
    if not made.total.bounded:
        return "Nothing is promised, as stated."
    return f"ε = {round_up(made.total.epsilon)}, δ = {round_up(made.total.delta)}."


def _follows(made: Guarantee) -> dict[str, float | None]:
    if not made.total.bounded:
        return {"epsilon": None, "delta": None}
    return {"epsilon": made.total.epsilon, "delta": made.total.delta}


def _check_population(stated: Mapping[str, Any] | None, follows: Budget | None) -> None:
    """Check the figure between populations."""
    if (stated is None) is not (follows is None):
        raise check_failure(
            "It speaks of a population where it should not, or the other way round."
        )
    if stated is None or follows is None:
        return
    for name, figure in (("epsilon", follows.epsilon), ("delta", follows.delta)):
        if not are_alike(stated[name], figure):
            raise check_failure(
                f"Between populations {name} = {stated[name]} is stated; from the settings "
                f"follows {figure}."
            )


def check_statement(packet: Checking) -> str:
    """Check that the guarantee says what follows, and nothing else. Finds “statement”."""
    said: dict[str, Any] = packet.need("said")
    made = Statement(packet.need("plan"), packet.need("schema"), released_of(said), "stain" in said)
    packet.found["statement"] = made
    found = [*find_differences(said, json.loads(made.to_json()))]
    if not found:
        return "As it follows."
    figure = next((each for each in found if each.of_figures), None)
    if figure is not None:
        raise check_failure(f"It says something else at {figure.where[1:]}.")
    raise packet.failed_here(f"It says something else at {found[0].where[1:]}.")


def check_text(packet: Checking) -> str:
    """Check that the guarantee in words says what the guarantee for programs says."""
    said = packet.need("said")
    if packet.bundle.read(files.STATEMENT_TEXT).decode("utf-8") != statement_text(said):
        raise packet.failed_here("guarantee.txt says something else.")
    return "The same."


def check_tables(packet: Checking) -> str:
    """Check rows, columns, values and hash of each table. Finds “tables”."""
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
    sizes = [_describe_size(each) for each in found.values()]
    if len(sizes) > 1:
        sizes = [f"{name}: {size}" for name, size in zip(found, sizes, strict=True)]
    return f"{'; '.join(sizes)}." if sizes else "None, as stated."


def _describe_size(table: SyntheticTable) -> str:
    """Return how many rows and columns a table has, and how many of these were computed again."""
    schema = table.records.schema
    size = f"{len(table):,} rows, {len(schema.header):,} columns"
    derived = len(schema.derived)
    return f"{size}, {derived:,} of them computed again from the others" if derived else size


def _table(data: bytes, shown: Schema, said: Mapping[str, Any]) -> SyntheticTable:
    """Return a table from its CSV file.

    Raises:
        Refusal: it is not the one that is stated.
    """
    if data.count(b"\n") > count_most_lines(shown, said["rows"]):
        raise check_failure(f"It has more than the {said['rows']:,} rows that are stated.")
    records = read_released_csv(data, shown)
    if len(records) != said["rows"]:
        raise check_failure(f"It has {len(records):,} rows, not {said['rows']:,}.")
    if list(shown.header) != said["columns"]:
        raise check_failure("It has other columns than stated.")
    found = SyntheticTable(records, said["sha256"])
    if to_csv_bytes(records) != data:
        raise check_failure("Its values stand in the file otherwise than a run writes them.")
    return found


def check_rules(packet: Checking) -> str:
    """Check that no row of a table breaks a declared rule, as its values stand in the file; of
    those set aside, say how many do."""
    rules: tuple[Rule, ...] = packet.need("schema").rules
    tables: ReleasedTables = packet.need("tables")
    ruled = {each.name for each in packet.need("decided").tables if each.schema.rules}
    for name, table in tables.found.items():
        for rule in rules if name in ruled else ():
            broken = check_rule(table.records.restore(), rule).broken
            if broken:
                raise check_failure(
                    f"{count(broken, 'row')} of {len(table):,} break the rule “{rule.title}”."
                )
    aside = _describe_set_aside(packet)
    if not rules:
        return aside or "None is declared."
    if not ruled:
        return f"{count(len(rules), 'rule')}; no table has the columns of the confidential one."
    rows = sum(len(tables.found[name]) for name in ruled)
    return f"{count(len(rules), 'rule')}, {count(rows, 'row')}: 0 broken. {aside}".strip()


def _describe_set_aside(packet: Checking) -> str:
    """Return how many rules were declared and not kept, and how many rows break one of them; "" if
    there are none."""
    declared: int = len(packet.need("schema").set_aside)
    if not declared:
        return ""
    tables: ReleasedTables = packet.need("tables")
    found = [
        count_breaches(tables.found[each.name].records.restore(), each.schema.set_aside)
        for each in packet.need("decided").tables
        if each.schema.set_aside
    ]
    said = f"{count(declared, 'rule')} declared and not kept"
    if not found:
        return f"{said}; no table has the columns of the confidential one."
    rows, broken = sum(each.rows for each in found), sum(each.together for each in found)
    return f"{said}: {broken:,} of {count(rows, 'row')} break {'it' if declared == 1 else 'one'}."


def check_totals(packet: Checking) -> str:
    """Check that the rows of each table have the declared totals, as they stand in the file."""
    totals: tuple[KnownTotals, ...] = packet.need("schema").totals
    tables: ReleasedTables = packet.need("tables")
    counted = {each.name for each in packet.need("decided").tables if each.schema.totals}
    cells = 0
    for name in counted:
        records = tables.found[name].records
        for each in totals:
            checks = compare_totals(each, records.schema.columns, list(records.codes.T))
            cells += len(checks)
            missed = next((check for check in checks if not check.hit), None)
            if missed is not None:
                raise check_failure(
                    f"{count(missed.released, 'row')} of “{name}” with {missed.cell}, where the "
                    f"known totals have {missed.declared:,} of {each.total:,}."
                )
    if not counted:
        return "None are declared." if not totals else "No table has the columns of the totals."
    return f"{count(cells, 'total')}, all hit."


def check_figures(packet: Checking) -> str:
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
    where = find_mismatch(decided, said[NAME], records)
    if where is not None:
        raise check_failure(f"The acceptance test comes to something else at {where}.")


def _check_noisy_tables(packet: Checking, said: Mapping[str, Any]) -> None:
    """Check that noisy tables are of columns that there are, whole, and with the intervals that
    follow from their noise."""
    if noisy_tables.NAME not in said or not packet.same_version:
        return
    decided = packet.need("decided")
    share = getattr(decided.plan, "counted_share", None)
    wrong = noisy_tables.unlike(said[noisy_tables.NAME], decided.schema, share)
    if wrong is not None:
        raise check_failure(f"Something is wrong with {wrong}.")


def check_parquet(packet: Checking) -> str:
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


def check_ledger(packet: Checking) -> str:
    """Check that the ledger extract is of this run, and its sums hold it. Finds “ledger”."""
    extract = LedgerExtract.read(packet.json(files.LEDGER))
    said, decided = packet.need("said"), packet.need("decided")
    stained, made = "stain" in said, decided.guarantee
    paid = make_debit(decided, stained=stained)
    if find_difference(extract.debit.body(), paid.body()) is not None:
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
        _check_spent_on_population(extract, made.population)
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
    if alone and not all(are_alike(float(one), float(other)) for one, other in pairs):
        raise check_failure("This run is the only one, and something else was spent in all.")


def _check_spent_on_population(extract: LedgerExtract, own: Budget | None) -> None:
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
    if not low <= found.epsilon <= high or (alone and not are_alike(found.epsilon, own.epsilon)):
        raise check_failure("What was spent between populations is something else.")


def _check_budget(extract: LedgerExtract) -> None:
    spent, budget = extract.spent, extract.budget
    if budget is not None and not (
        spent.bounded and spent.epsilon <= budget.epsilon and spent.delta <= budget.delta
    ):
        raise check_failure("More was spent than was allowed.")


def check_documents(packet: Checking) -> str:
    """Check that the documents are the same, byte for byte, when they are made again."""
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
    made = make_documents(contents, packet.need("stored"), form["files"])
    for name in (files.STATEMENT, files.STATEMENT_TEXT):
        del made[name]  # checked by themselves, where figures may differ in the last places
    others = [name for name, text in made.items() if packet.bundle.read(name) != text.encode()]
    if others:
        raise check_failure(f"Not what these facts make: {', '.join(others)}.")
    pdf = " The PDF is checked by its hash only." if files.REPORT_PDF in form["files"] else ""
    return f"{len(made):,} files.{pdf}"
