"""A rule: what everyone knows of the values of one record, where it is known from, and what becomes
of records of the confidential table that break it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, Protocol

from pydantic import model_validator

from understudy.core.display import Shown, ShowsItself
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.checks import check_read
from understudy.table.column import ORIGINS, Column, Origin
from understudy.table.rules.conditions import Condition
from understudy.table.rules.language import parse_rule, tidy_rule
from understudy.table.rules.named_values import SumParts, bind_rule
from understudy.table.rules.possible_codes import relate_codes
from understudy.table.rules.relation import Relation
from understudy.table.rules.tree import RulePart, list_columns, show_rule

MOST_RULES: Final = 500


class SetMissing(Frozen, what="what becomes of records that break a rule"):
    """That a column of a record is set to one of its codes for missing.

    Attributes:
        column: which.
        code: a text or the meaning of the code; "" for the first that says that the value is not
            known.
    """

    column: str
    code: str = ""

    def find_code(self, columns: Sequence[Column]) -> tuple[int, int]:
        """Return the place of the column and its code for missing.

        Raises:
            Refusal: there is no such column, or no such code.
        """
        place = next((p for p, each in enumerate(columns) if each.name == self.column), None)
        if place is None:
            raise Refusal(
                f"Records that break a rule are to be set to missing in column “{self.column}”, "
                "which the schema does not have.",
                "Name a column of the schema, or leave these records out.",
                field="rules",
            )
        column = columns[place]
        if not self.code and column.unknown_code is not None:
            return place, column.unknown_code
        allowed = column.missing_codes[: column.missing_count]
        for code, each in enumerate(allowed, column.domain.size):
            if self.code and self.code in (*each.values, each.label):
                return place, code
        named = f" “{self.code}”" if self.code else ""
        raise Refusal(
            f"Records that break a rule are to be set to missing in column “{self.column}”, which "
            f"has no such code{named}.",
            "Allow missing values in the column and name one of its codes, or leave these records "
            "out.",
            field="rules",
        )


class HasColumns(Protocol):
    """What has the columns of a schema."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        ...

    @property
    def sums(self) -> SumParts:
        """The columns that rules may name too, as sums of two of these."""
        ...


class Rule(ShowsItself, Frozen, what="the rule"):
    """A rule about the values of one record. It is public, and stands on the custodian's word.

    Attributes:
        text: in the language of `language`.
        name: what a person calls it; may be empty.
        origin: where it is publicly known from.
        note: why it holds, or where it is written, in the custodian's words.
        instead: what becomes of records of the table that break it; they are left out if None.
        settled_late: whether that was changed after it was seen how many they are.

    Raises:
        Refusal: the text is not understood, or a word cannot be shown.
    """

    text: str
    name: str = ""
    origin: Origin = ""
    note: str = ""
    instead: SetMissing | None = None
    settled_late: bool = False

    @model_validator(mode="after")
    def _usable(self) -> Rule:
        object.__setattr__(self, "text", tidy_rule(self.text))
        _ = self.tree
        check_read(self.name, "name of a rule", "rules")
        check_read(self.note, "note to a rule", "rules")
        return self

    @cached_property
    def tree(self) -> RulePart:
        """The rule as the parser reads it."""
        return parse_rule(self.text)

    @property
    def title(self) -> str:
        """Its name, or else its text, as it stands in a sentence."""
        return show_rule(self.name or self.text)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns that it names, each once, as they come in the text."""
        return tuple(dict.fromkeys(part.name for part in list_columns(self.tree)))

    def bind(self, columns: Sequence[Column], sums: SumParts | None = None) -> Condition:
        """Return the condition that it puts on records of some columns.

        Args:
            columns: of the records.
            sums: columns that it may name too, as sums of two others; records that break it are
                then repaired before any column is one.

        Raises:
            Refusal: it names no such column or value, compares what cannot be compared, or what
                becomes of records that break it cannot be done.
        """
        if self.instead is not None and not sums:
            self.instead.find_code(columns)
        return bind_rule(self.text, self.tree, columns, sums)

    def relation(self, schema: HasColumns) -> Relation:
        """Return which combinations of codes of its columns are possible: those of which some
        record does not break it.

        Raises:
            Refusal: as of `bind`, or there are too many combinations.
        """
        return relate_codes(self.title, self.bind(schema.columns, schema.sums), schema.columns)

    def describe_itself(self) -> Shown:
        """Return what is shown: its text, where it is known from, and what becomes of records that
        break it."""
        instead = self.instead
        becomes = "left out" if instead is None else f"missing in “{instead.column}”"
        facts = {"Name": self.name, "Known from": ORIGINS[self.origin], "Note": self.note}
        given = [(name, text) for name, text in facts.items() if text]
        return Shown(f"The rule {self.text}", [*given, ("Records that break it", becomes)])

    def as_dict(self) -> dict[str, Any]:
        """Return it as a schema file has it."""
        usual = {"name", "origin", "note", "instead", "settled_late"}
        unsaid = {name for name in usual if not getattr(self, name)}
        return self.model_dump(mode="json", exclude=unsaid)

    def substance(self) -> dict[str, Any]:
        """Return what the fingerprint of a schema knows of it."""
        instead = None if self.instead is None else self.instead.model_dump(mode="json")
        return {"text": self.text, "instead": instead}
