"""What is decided before a run: the schema, declared public, and the plan."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from understudy.core.display import Shown, ShowsItself
from understudy.core.refusal import Refusal
from understudy.front.tables import (
    ConfidentialTable,
    name_arguments,
    names_said,
    read,
    table_read_by,
)
from understudy.mechanisms import companions
from understudy.mechanisms.companions import PlanOptions
from understudy.mechanisms.fields import Field, FieldTable, nest_settings
from understudy.mechanisms.kinds import Choice, Number, OrNone, Share, Span, Text, Whole
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.registry import method_named, opening_plan, plan_run
from understudy.table.authoring import declaration
from understudy.table.authoring.declaration import check_declared
from understudy.table.authoring.derivation_edits import derive_column
from understudy.table.authoring.first_schema import suggest_first_schema
from understudy.table.column import Column
from understudy.table.derivations.registry import parse_formula
from understudy.table.omissions import list_reasons
from understudy.table.schema import Schema

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class SuggestedSchema(ShowsItself):
    """What the columns of a table may contain, as suggested from its records. Internal.

    It shows names and kinds only: categories and bounds come from confidential records until they
    are replaced by what is publicly known, and declared.

    Attributes:
        schema: the suggested columns, not declared.
        notes: per column, sentences on what to look at. Internal.
        left_out: the columns that are left out, each with the reason. Internal.
        table: what it was suggested from.
    """

    schema: Schema
    notes: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, str]
    table: ConfidentialTable

    @property
    def columns(self) -> tuple[Column, ...]:
        """The suggested columns. Internal."""
        return self.schema.columns

    def replace(self, column: Column) -> SuggestedSchema:
        """Return the suggestion with the column of the same name exchanged.

        Raises:
            Refusal: there is no column of that name.
        """
        return replace(self, schema=self.schema.replace(column))

    def derive(self, column: str, formula: str) -> SuggestedSchema:
        """Return the suggestion with a column computed from others, of the table or a new one, such
        as `derive("total", "drugs + bed")`. It is in no model and costs nothing.

        Raises:
            Refusal: the formula is not understood, or no function of these columns.
        """
        names = self.table.raw.names
        return replace(
            self, schema=derive_column(self.schema, column, parse_formula(formula), names)
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the schema file, to be corrected there and declared by its path. Internal.

        Raises:
            Refusal: something is there already, or it cannot be written.
        """
        if Path(path).exists():
            raise Refusal(
                f"{path} exists already, and is not overwritten.",
                "Choose another name, or remove it first.",
                field="path",
            )
        self.schema.save(Path(path))

    def describe_itself(self) -> Shown:
        """Return what it shows of itself."""
        return Shown(
            f"Suggested schema of {len(self.schema)} columns, internal until it is declared",
            [
                ("Left out", f"{', '.join(names)}: {why}")
                for why, names in list_reasons(self.schema.omissions).items()
            ],
            ("Column", "Kind"),
            [(each.name, each.domain.kind) for each in self.columns],
            ["Correct what is not public knowledge, then declare it with its source as the note."],
        )


def suggest_schema(
    table: ConfidentialTable | str | os.PathLike[str] | pd.DataFrame,
    *,
    leave_out: Sequence[str] = (),
    only: Sequence[str] = (),
    keep: Sequence[str] = (),
    codebook: str | os.PathLike[str] | None = None,
    person: str | None = None,
    order: str | None = None,
    most_per_person: int | None = None,
) -> SuggestedSchema:
    """Return a suggestion of what the columns of a table may contain.

    It is made from confidential records, so it is internal: look through it, replace categories
    and bounds by what is publicly known, and only then `declare` it.

    Args:
        table: what `read` returned, a path, or a data frame.
        leave_out: columns to leave out, or patterns of their names such as "q17_*".
        only: columns to use, or patterns of their names, where all others are left out.
        keep: columns to keep although they look as if they identified somebody: by their name, the
            shape of their values, or a value of its own in nearly every record.
        codebook: a file with names, labels and values of columns, laid over the suggestion.
        person: the column that says whose a row is, if one person has several.
        order: the column that orders a person's rows.
        most_per_person: how many rows of a person are kept: the first in order. It is published.

    Raises:
        Refusal: the table or the codebook cannot be read, a column that is to be kept cannot be
            described, or fewer than two can be used.

    Example:
        >>> import understudy as us
        >>> suggestion = us.suggest_schema(us.read("people.csv"), leave_out=["WKHP"])
        >>> suggestion.schema.names[:3]
        ('AGEP', 'COW', 'SCHL')
        >>> suggestion.schema.declared
        False
    """
    raw_table = table if isinstance(table, ConfidentialTable) else read(table)
    raw = raw_table.raw
    columns = {name: f"leave_out=[{name!r}]" for name in raw.names}
    with name_arguments(columns):
        first = suggest_first_schema(
            raw,
            leave_out=names_said(leave_out),
            only=names_said(only),
            keep=names_said(keep),
            people=declaration.people_in(raw, person, order, most_per_person),
            codebook=None if codebook is None else Path(codebook),
        )
    reasons = {name: each.reason for name, each in first.left_out.items()}
    return SuggestedSchema(first.schema, first.notes, reasons, raw_table)


def declare(
    schema: Schema | str | os.PathLike[str],
    table: ConfidentialTable | str | os.PathLike[str] | pd.DataFrame,
    *,
    note: str,
    origins: Sequence[str] = (),
    single_rows: bool = False,
) -> Schema:
    """Return a schema, declared to be public knowledge as it stands.

    You confirm that columns, categories, bounds, steps and buckets are publicly known: what is
    listed because it occurs in somebody's record gives that record away before any noise is added.
    Declare what you have checked and corrected, in a step of its own.

    Args:
        schema: the path of a schema file that you have corrected, or a schema.
        table: the confidential table, which is looked at for columns that name people.
        note: where it is known from, such as a code book; published with the schema.
        origins: where columns are known from, in lines such as "law=AGEP,SEX", "the questionnaire
            of 2024=q1_*" or "codebook" for all others; told to the board. Columns whose labels came
            with the file, whose bounds everybody knows or that a codebook describes have a source
            already. "table=AGEP" confirms by name what was read off the table.
        single_rows: that nobody has several rows, if a column looks as if it named people who have.

    Raises:
        Refusal: it is a suggestion as it was made from the records, the note names no source, of
            some column nobody has said where it is known from, it is open whether one person has
            several rows, or the table cannot be read as the schema says.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare(
        ...     "schema.json", "people.csv", note="the census code book", origins=["codebook"]
        ... )
        >>> schema.declared, schema.declaration.note
        (True, 'the census code book')
    """
    with name_arguments():
        declaration.check_note(note)
        if isinstance(schema, SuggestedSchema):
            raise Refusal(
                "A suggestion is made from the records, and is not public knowledge as it stands.",
                "Save it, correct in that file whatever is not publicly known, and declare the "
                "file.",
                field="schema",
            )
        found = schema if isinstance(schema, Schema) else Schema.load(Path(schema))
        raw = table_read_by(table, found).raw
        return declaration.declare(found, raw, note, origins=origins, single_rows=single_rows)


_TARGET: Final = "target_epsilon"
_OTHERS: Final = "others"
"""The field that takes settings without an option of their own."""


def plan(
    schema: Schema, *, epsilon: float | None = None, method: str | None = None, **settings: Any
) -> PlannedRun:
    """Return a plan for a schema, with what it promises. No data is read and nothing is spent.

    With `epsilon`, the planner finds the settings, as `understudy propose` does. Without it, the
    settings count that are given, as the options of `understudy synthesize`.

    Args:
        schema: what the columns may contain.
        epsilon: the total ε that may be spent on one person.
        method: the name of a method as `understudy method` lists it; seedbased synthesis, which
            makes a whole table from a model, if left out.
        settings: of the planner: `delta`, `records` (how many the table is publicly known to
            have), `rows` (how many the synthetic table is to have), `purpose` (“table” or “alike”);
            or of the method, called like its options (`k`, `attempts`, `model`, `outside`) or, if
            one has no option of its own, as in the plan file. Of another method than the usual, as
            in its plan file; `understudy method METHOD --help` lists them.

    Raises:
        Refusal: a setting is unknown or out of range, does not fit the schema, or no plan keeps to
            what may be spent.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare(
        ...     "schema.json", "people.csv", note="the census code book", origins=["codebook"]
        ... )
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> planned.guarantee.total.epsilon <= 1.0
        True
        >>> us.plan(schema, omega=11, attempts=300).plan.attempts
        300
    """
    if method is not None and method != companions.UNTAGGED:
        own = settings if epsilon is None else {"epsilon": epsilon, **settings}
        return plan_run(opening_plan(method, schema, nest_settings(own)), schema)
    options: PlanOptions = companions.of(companions.UNTAGGED, "options", "OPTIONS")
    if epsilon is None:
        return plan_run(options.plan_of(_read_settings(settings, options.fields), schema), schema)
    kept = [options.fields[name] for name in options.kept]
    asked = {each.name for each in (*options.questions, *kept)}
    asked |= {each.parameter for each in (*options.questions.options, *kept)}
    if settings.keys() <= asked:
        questions = FieldTable((*options.questions, *kept))
        typed = _read_settings({"epsilon": epsilon, **settings}, questions)
        return plan_run(options.propose_plan(typed, schema), schema)
    typed = _read_settings({_TARGET: epsilon, **settings}, options.fields)
    return plan_run(options.plan_of(typed, schema), schema)


def check_planned(planned: PlannedRun, schema: Schema, *, stained: bool) -> None:
    """Check that a plan can be run on a table of a schema.

    Args:
        planned: the plan.
        schema: what the columns of the table may contain.
        stained: whether the random numbers are fixed, so that nothing is promised.

    Raises:
        Refusal: the schema was not declared as it stands, the plan was made for another, or counts
            on what nobody confirmed to be publicly known.
    """
    check_declared(schema)
    if planned.schema.fingerprint != schema.fingerprint:
        raise Refusal(
            "The plan was made for another schema.", "Make it for this one.", field="plan"
        )
    if not stained:
        planned.mechanism.check_public(planned)


def _read_settings(given: Mapping[str, Any], fields: FieldTable) -> dict[str, Any]:
    """Return settings by the names of their fields, as their kinds read them.

    Raises:
        Refusal: there is no such setting, or a value is of another kind.
    """
    by_name = {each.name: each for each in fields.options}
    by_name |= {each.parameter: each for each in fields.options}
    # What has no option of its own is called as in the plan file.
    others = [name for name in given if name not in by_name and _OTHERS in fields]
    others = [name for name in others if method_named(companions.UNTAGGED).fields.at(name)]
    unknown = sorted(given.keys() - by_name.keys() - set(others))
    if unknown:
        raise Refusal(
            f"There is no setting “{unknown[0]}”.",
            f"Choose from: {', '.join(sorted(each.parameter for each in fields.options))}.",
            field=unknown[0],
        )
    typed = {
        by_name[name].name: _value(by_name[name], value)
        for name, value in given.items()
        if name in by_name
    }
    texts = [f"{name}={json.dumps(given[name], default=str)}" for name in others]
    return typed | ({_OTHERS: [*typed.get(_OTHERS, ()), *texts]} if texts else {})


def _value(field: Field, value: Any) -> Any:
    """Return a value as it would be read from a text.

    Raises:
        Refusal: it is none of the field's kind.
    """
    assert field.option is not None
    if field.option.several:
        return _several(value)
    if isinstance(field.kind, Text | Span) and not isinstance(value, str):
        sign = "-" if isinstance(field.kind, Span) else ","
        value = sign.join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    if isinstance(value, str):
        try:
            return field.kind.read(value)
        except ValueError as error:
            raise Refusal(str(error), "Correct it.", field=field.name) from None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(field.kind, Number) and field.kind.or_none and (number or value is None):
        return OrNone(value)
    if isinstance(field.kind, Whole):
        number = number and isinstance(value, int)
    if isinstance(field.kind, Choice) or (
        isinstance(field.kind, Whole | Number | Share) and not number
    ):
        raise Refusal(f"“{value}” cannot be used here.", "Correct it.", field=field.name)
    return value


def _several(value: Any) -> list[str]:
    """Return texts such as “age=clip”, which may be given by column."""
    if isinstance(value, Mapping):
        return [f"{name}={each}" for name, each in value.items()]
    return [value] if isinstance(value, str) else list(value)
