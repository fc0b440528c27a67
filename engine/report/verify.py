"""Whether a packet is what it says: every check that needs nothing confidential."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq

from engine import __version__
from engine.privacy.budget import Budget
from engine.privacy.rounding import upwards
from engine.refusal import Refusal
from engine.report import files
from engine.report.alike import LAST_PLACES, alike, difference
from engine.report.bundle import Bundle, opened
from engine.report.contents import Contents
from engine.report.cover import Cover
from engine.report.documents import documents
from engine.report.files import FORMAT, OPTIONAL, Names, Stored
from engine.report.formula_safety import restored
from engine.report.ledger_extract import LedgerExtract
from engine.report.statement import Statement, as_text, json_schema
from engine.report.table import SyntheticTable, as_arrow, read_csv
from engine.report.versions import Versions
from engine.runs.debit import debited
from engine.synthesis.plan import Plan
from engine.synthesis.promise import promise
from engine.synthesis.stain import stained_schema
from engine.table.schema import Schema

State = Literal["passed", "failed", "skipped"]

TITLES: Final[Mapping[str, str]] = {
    "files": "Every file is there, and no other",
    "hashes": "Every file has the hash that was noted",
    "form": "The title page is in the form of a packet",
    "statement-schema": "The guarantee is in the form of its JSON Schema",
    "plan": "The settings are complete, and those that the guarantee names",
    "schema": "The schema was declared public, and is the one that the settings are for",
    "total": "The stated total follows from the stated settings",
    "statement": "The guarantee says what follows from settings and schema, and nothing else",
    "text": "The guarantee in words says what the guarantee for programs says",
    "table": "The table has the stated rows and hash, and every value is in its declared domain",
    "parquet": "The Parquet file holds the same table",
    "ledger": "The ledger extract is of this run, and its sums are consistent",
    "documents": "Report, dictionary and data package are what these facts make",
}
"""The checks in their order, each as a sentence that is true where it passed."""


@dataclass(frozen=True)
class Check:
    """One check of a packet.

    Attributes:
        key: names it, as in `TITLES`.
        state: how it went; skipped where what it needs is missing or damaged, or where another
            version of the program would be needed.
        said: what was found, in a sentence.
    """

    key: str
    state: State
    said: str

    @property
    def title(self) -> str:
        """What is true where it passed."""
        return TITLES[self.key]


@dataclass(frozen=True)
class Verdict:
    """How all checks of a packet went.

    Attributes:
        checks: in the order of `TITLES`.
        stained: whether the packet says that it is a demonstration, which promises nothing.
    """

    checks: tuple[Check, ...]
    stained: bool

    @property
    def passed(self) -> bool:
        """Whether nothing failed, and nothing was left out but for want of the same version."""
        return all(each.state == "passed" or _other_version(each) for each in self.checks)


_OTHER_VERSION: Final = "made by another version"


def _other_version(check: Check) -> bool:
    return check.state == "skipped" and _OTHER_VERSION in check.said


def verify(path: Path) -> Verdict:
    """Check a packet.

    Args:
        path: its folder, or its zip file.

    Raises:
        Refusal: it is neither, or cannot be read at all.
    """
    with opened(path) as bundle:
        return _Checking(bundle).verdict()


class _Missing(Exception):
    """What a check needs was found damaged by an earlier one."""


class _Skipped(Exception):
    """A check cannot be made with this version."""


@dataclass
class _Checking:
    """The checks of one packet, and what earlier ones found for later ones."""

    bundle: Bundle
    found: dict[str, Any] = field(default_factory=dict)

    def verdict(self) -> Verdict:
        """Make every check."""
        each: dict[str, Callable[[], str]] = {
            "files": self._files,
            "hashes": self._hashes,
            "form": self._form,
            "statement-schema": self._statement_schema,
            "plan": self._plan,
            "schema": self._schema,
            "total": self._total,
            "statement": self._statement,
            "text": self._text,
            "table": self._table,
            "parquet": self._parquet,
            "ledger": self._ledger,
            "documents": self._documents,
        }
        checks = tuple(self._made(key, each[key]) for key in TITLES)
        return Verdict(checks, self._names.stained)

    def _made(self, key: str, check: Callable[[], str]) -> Check:
        try:
            return Check(key, "passed", check())
        except _Missing:
            return Check(key, "skipped", "Not checked, as something it needs is damaged.")
        except _Skipped as skipped:
            return Check(key, "skipped", str(skipped))
        except Refusal as refusal:
            return Check(key, "failed", refusal.problem)
        except (
            ValueError,
            TypeError,
            KeyError,
            ArithmeticError,
            RecursionError,
            pa.ArrowException,
        ):
            return Check(key, "failed", "What is there cannot be read.")

    @property
    def _names(self) -> Names:
        """What the tables are called: as a demonstration's, where such a file is there."""
        return Names(any(name.startswith(files.STAINED) for name in self.bundle.names))

    def _need(self, what: str) -> Any:
        if what not in self.found:
            raise _Missing
        return self.found[what]

    def _json(self, name: str) -> Any:
        text = self.bundle.read(name).decode("utf-8")
        return json.loads(text, parse_constant=_no_constant)

    def _files(self) -> str:
        wanted = set(self._names.all) - OPTIONAL
        missing = sorted(wanted - self.bundle.names)
        if missing:
            raise _failed(f"Missing: {', '.join(missing)}.")
        strange = self.bundle.strangers + len(self.bundle.names - set(self._names.all))
        if strange:
            raise _failed(
                f"There are {strange:,} files or links that belong to no packet, or are too large."
            )
        return f"{len(self.bundle.names):,} files."

    def _hashes(self) -> str:
        text = self.bundle.read(files.SUMS).decode("ascii")
        noted = {line[66:]: line[:64] for line in text.splitlines()}
        present = self.bundle.names - {files.SUMS}
        lines = "".join(f"{noted[name]}  {name}\n" for name in sorted(noted))
        if set(noted) != present or text != lines:
            raise _failed("The list of hashes is not of these files.")
        changed = [name for name in sorted(present) if self.bundle.sha256(name) != noted[name]]
        if changed:
            raise _failed(f"Changed since: {', '.join(changed)}.")
        self.found["sums"] = noted
        return f"{len(present):,} files."

    def _form(self) -> str:
        said = self._json(files.PACKET)
        if not isinstance(said, dict) or said.get("format") != FORMAT:
            raise _failed(f"It is of another form than {FORMAT}, which this version knows.")
        self.found["cover"] = Cover.read({name: said[name] for name in Cover.model_fields})
        known = {"format", *Cover.model_fields, "demonstration", "formulas_neutralised", "files"}
        present = [name for name in self._names.all if name in self.bundle.names]
        if set(said) != known or said["files"] != present:
            raise _failed("It lists other files than there are, or holds what it has no place for.")
        if said["demonstration"] is not self._names.stained:
            raise _failed("Its files are named as what it says it is not.")
        self.found["form"] = said
        self.found["versions"] = Versions.read(self._json(files.VERSIONS))
        return f"Form {FORMAT}."

    def _statement_schema(self) -> str:
        said = self._json(files.STATEMENT)
        ours = json.loads(json_schema())
        validator = jsonschema.Draft202012Validator(ours)
        error = next(validator.iter_errors(said), None)
        if error is not None:
            raise _failed(f"Not as the schema says, at {error.json_path}.")
        if self.bundle.read(files.STATEMENT_SCHEMA) != json_schema().encode() and self._same:
            raise _failed("The JSON Schema in the packet is not the one of this version.")
        self.found["said"] = said
        return "Valid."

    def _plan(self) -> str:
        said = self._json(files.PLAN)
        if said != self._need("said")["plan"]:
            raise _failed("plan.json has other settings than the guarantee.")
        if "policies" in said:
            raise _failed("It says how stray values were settled, which is not for publishing.")
        plan = Plan.read(said)
        self.found["plan"] = plan
        return f"{plan.attempts:,} {'attempts' if plan.protocol == 'attempts' else 'records'}."

    def _schema(self) -> str:
        text = self.bundle.read(files.SCHEMA).decode("utf-8")
        schema, plan = Schema.from_json(text), self._need("plan")
        if text != schema.to_json():
            raise _failed("It holds more than a schema.")
        if not schema.declared:
            raise _failed("Nobody declared this very schema public.")
        if schema.fingerprint != plan.domain:
            raise _failed("The settings are for another schema.")
        self.found["schema"] = schema
        return f"{len(schema):,} columns."

    def _total(self) -> str:
        said, plan, schema = self._need("said"), self._need("plan"), self._need("schema")
        made = promise(plan, schema)
        self.found["made"] = made
        stated = said["guarantee"]
        if "stain" in said:
            if (stated["epsilon"], stated["delta"], stated["private"]) != (None, None, False):
                raise _failed("A demonstration promises nothing, and this states a total.")
            return "A demonstration: nothing is promised, as stated."
        follows: dict[str, float | None] = {
            "epsilon": made.total.epsilon,
            "delta": made.total.delta,
        }
        if not made.total.bounded:
            follows = {"epsilon": None, "delta": None}
        for name, figure in follows.items():
            if not alike(stated[name], figure):
                raise _failed(
                    f"Stated is {name} = {stated[name]}; from the settings follows {figure}."
                )
        if not made.total.bounded:
            return "Nothing is promised, as stated."
        return f"ε = {upwards(made.total.epsilon)}, δ = {upwards(made.total.delta)}."

    def _statement(self) -> str:
        said, plan, schema = self._need("said"), self._need("plan"), self._need("schema")
        made = self._remade(said, plan, schema)
        self.found["statement"] = made
        where = difference(said, json.loads(made.to_json()))
        if where is None:
            return "As it follows."
        if not self._same and not where.startswith((".guarantee.epsilon", ".guarantee.delta")):
            raise _Skipped(f"Its words were {_OTHER_VERSION} of the program.")
        raise _failed(f"It says something else at {where[1:]}.")

    @staticmethod
    def _remade(said: Mapping[str, Any], plan: Plan, schema: Schema) -> Statement:
        table = said["table"]
        return Statement(plan, schema, table["rows"], table["sha256"], "stain" in said)

    def _text(self) -> str:
        said = self._need("said")
        if self.bundle.read(files.STATEMENT_TEXT).decode("utf-8") != as_text(said):
            if not self._same:
                raise _Skipped(f"Its words were {_OTHER_VERSION} of the program.")
            raise _failed("guarantee.txt says something else.")
        return "The same."

    def _table(self) -> str:
        said, schema = self._need("said"), self._need("schema")
        data = self.bundle.read(self._names.csv)
        stained = "stain" in said
        shown = stained_schema(schema) if stained else schema
        records = read_csv(data, shown, restored)
        if len(records) != said["table"]["rows"]:
            raise _failed(f"It has {len(records):,} rows, not {said['table']['rows']:,}.")
        if list(shown.names) != said["table"]["columns"]:
            raise _failed("It has other columns than stated.")
        table = SyntheticTable(records, said["table"]["sha256"])
        sink = io.BytesIO()
        table.write_csv(sink)
        if sink.getvalue() != data:
            raise _failed("Its values stand in the file otherwise than a run writes them.")
        self.found["table"] = table
        return f"{len(table):,} rows, {len(shown):,} columns."

    def _parquet(self) -> str:
        table: SyntheticTable = self._need("table")
        data = self.bundle.read(self._names.parquet)
        try:
            there = pq.read_table(pa.BufferReader(data))
        except (pa.ArrowException, OSError):
            raise _failed("It cannot be read.") from None
        if not there.equals(as_arrow(table.records), check_metadata=True):
            raise _failed("Its values or types are others.")
        versions: Versions = self._need("versions")
        if versions.libraries["pyarrow"] == pa.__version__ and _parquet_of(table) != data:
            raise _failed("It holds something beside the table.")
        return "The same values."

    def _ledger(self) -> str:
        extract = LedgerExtract.read(self._json(files.LEDGER))
        said, plan, made = self._need("said"), self._need("plan"), self._need("made")
        paid = debited(plan, made, stained="stain" in said)
        if difference(extract.debit.body(), paid.body()) is not None:
            raise _failed("The debit is of another run.")
        if extract.released_sha256 != said["table"]["sha256"]:
            raise _failed("The table that it says was released is another.")
        _check_sums(extract, None if "stain" in said else made.total)
        self.found["ledger"] = extract
        return f"{extract.runs:,} runs on these data."

    def _documents(self) -> str:
        if not self._same:
            raise _Skipped(f"They were {_OTHER_VERSION} of the program.")
        contents = Contents(
            self._need("cover"),
            self._need("table"),
            self._need("statement"),
            self._need("ledger"),
            self._need("versions"),
        )
        form = self._need("form")
        if form["formulas_neutralised"] is not contents.table.neutralised:
            raise _failed("packet.json says otherwise whether formulas were made harmless.")
        stored = {
            name: Stored(self.bundle.size(name), self.bundle.sha256(name))
            for name in (self._names.csv, self._names.parquet)
        }
        made = documents(contents, stored, form["files"])
        for name in (files.STATEMENT, files.STATEMENT_TEXT):
            del made[name]  # checked by themselves, where figures may differ in the last places
        others = [name for name, text in made.items() if self.bundle.read(name) != text.encode()]
        if others:
            raise _failed(f"Not what these facts make: {', '.join(others)}.")
        pdf = " The PDF is checked by its hash only." if files.REPORT_PDF in form["files"] else ""
        return f"{len(made):,} files.{pdf}"

    @property
    def _same(self) -> bool:
        """Whether the packet was made by this version of the program."""
        versions: Versions | None = self.found.get("versions")
        return versions is None or versions.understudy == __version__


def _failed(said: str) -> Refusal:
    return Refusal(said, "Get the packet again from whoever made it.")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _parquet_of(table: SyntheticTable) -> bytes:
    sink = pa.BufferOutputStream()
    table.write_parquet(sink)
    return bytes(sink.getvalue())


def _check_sums(extract: LedgerExtract, total: Budget | None) -> None:
    """Check that the sums can hold what this run took.

    Args:
        extract: what the ledger says.
        total: what this run promises; None where nothing.

    Raises:
        Refusal: they cannot.
    """
    spent, budget = extract.spent, extract.budget
    if not 0 <= extract.unpromised <= extract.runs or extract.runs < 1:
        raise _failed("It counts fewer runs than this one.")
    promised = total is not None and total.bounded
    if not promised and extract.unpromised < 1:
        raise _failed("It leaves this run out, which promises nothing.")
    if promised and extract.unpromised == extract.runs:
        raise _failed("It leaves this run out.")
    if total is not None and promised and spent.bounded:
        if spent.epsilon < total.epsilon * (1 - LAST_PLACES):
            raise _failed("Less was spent in all than by this run alone.")
        alone = extract.runs - extract.unpromised == 1
        if alone and not alike(float(spent.epsilon), float(total.epsilon)):
            raise _failed("This run is the only one, and something else was spent in all.")
    if budget is not None and not (
        spent.bounded and spent.epsilon <= budget.epsilon and spent.delta <= budget.delta
    ):
        raise _failed("More was spent than was allowed.")
