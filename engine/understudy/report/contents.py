"""All that a packet may hold: a closed set of types, each of which holds nothing that is internal.

A packet is written from a `Contents` and from nothing else. What is computed from confidential
records without noise (figures, evaluations, evidence, records that no run released) is of none of
these types, and a subclass is turned away, so that it cannot come along. Why each may be published:

cover       the custodian's own words, typed for the reader.
tables      outputs that the guarantee is about, each bound to the hash that the run put down.
statement   settings, proven numbers and what was declared public; see the
            `statement` of the mechanism.
            It holds the plan without its policies, which tell that stray values were there, and
            the schema: names, titles, labels, domains, buckets, how the file is read, all of them
            declared.
ledger      settings of this run and sums of settings; see `understudy.report.ledger_extract`.
figures     the same, of named figures.
versions    of programs.

No type has a moment of time but the declaration's, which lies before the run: when a packet was
made would bound how long the run took, which the guarantee leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

from understudy.core.refusal import Refusal
from understudy.report.alike import find_difference
from understudy.report.cover import Cover
from understudy.report.files import Names
from understudy.report.guarantee_file import Statement
from understudy.report.ledger_extract import LedgerExtract
from understudy.report.outputs import ReleasedFigures, ReleasedTables
from understudy.report.versions import Versions
from understudy.runs.debit import make_debit
from understudy.table.schema import Schema
from understudy.table.seed_mark import marked_schema

PARTS: Final[Mapping[str, type]] = {
    "cover": Cover,
    "tables": ReleasedTables,
    "statement": Statement,
    "ledger": LedgerExtract,
    "figures": ReleasedFigures,
    "versions": Versions,
}
"""The closed set: what each part has to be, exactly."""


@final
@dataclass(frozen=True)
class Contents:
    """What a packet is made from; see above.

    Raises:
        TypeError: a part is of another type.
        Refusal: the parts are not about one run.
    """

    cover: Cover
    tables: ReleasedTables
    statement: Statement
    ledger: LedgerExtract
    figures: ReleasedFigures
    versions: Versions

    def __post_init__(self) -> None:
        for name, kind in PARTS.items():
            if type(getattr(self, name)) is not kind:
                raise TypeError(f"the {name} of a packet has to be a {kind.__name__}")
        object.__setattr__(self, "cover", Cover.read(self.cover.model_dump()))
        object.__setattr__(self, "versions", Versions.read(self.versions.as_dict()))
        self._check_tables()
        self._check_figures()
        self._check_ledger()

    def _check_tables(self) -> None:
        said, found = self.statement, self.tables.found
        alike = list(found) == [each.output for each in said.tables] and all(
            found[each.output].sha256 == each.sha256
            and len(found[each.output]) == each.rows
            and found[each.output].records.schema.to_json()
            == self.mark_schema(each.output).to_json()
            for each in said.tables
        )
        if not alike:
            raise Refusal(
                "The table is not the one that its statement is about.",
                "Put back the files of the release, or choose another run.",
                field="table",
            )

    def _check_figures(self) -> None:
        stated = {each.output: each.sha256 for each in self.statement.figures}
        if dict(self.figures.sha256) != stated:
            raise Refusal(
                "The released figures are not those that the statement is about.",
                "Put back the files of the release, or choose another run.",
                field="outputs",
            )

    def _check_ledger(self) -> None:
        said = self.statement
        paid = make_debit(said.decided, stained=said.stained)
        if find_difference(self.ledger.debit.body(), paid.body()) is not None:
            raise Refusal(
                "What the ledger says this run was to do is not what its plan says.",
                "Put back the files of the run, or choose another.",
                field="ledger",
            )
        if self.ledger.released_sha256 != said.sha256:
            raise Refusal(
                "The release is not the one that the ledger says was released.",
                "Put back the files of the release, or choose another run.",
                field="table",
            )

    @property
    def stained(self) -> bool:
        """Whether nothing is promised, as the release was made with a fixed seed."""
        return self.statement.stained

    @property
    def names(self) -> Names:
        """What the files of the packet are called."""
        return Names.of(self.statement.decided.outputs, stained=self.stained)

    def mark_schema(self, output: str) -> Schema:
        """Return the columns of a table as it stands in its file, with the mark of a
        demonstration."""
        schema = self.statement.decided.output(output).schema
        assert schema is not None
        return marked_schema(schema) if self.stained else schema

    @property
    def dictionary_schema(self) -> Schema:
        """The columns that dictionary.csv describes: those in the file of the first table;
        of a release without a table, those that its figures are of."""
        tables = self.names.tables
        return self.mark_schema(tables[0]) if tables else self.statement.schema

    @property
    def declared(self) -> Schema | None:
        """The columns of the confidential table; None if some released table has the same,
        which describes them too."""
        tables = [self.statement.decided.output(name).schema for name in self.names.tables]
        schema = self.statement.schema
        same = not tables or schema.columns in [each.columns for each in tables if each is not None]
        return None if same else schema
