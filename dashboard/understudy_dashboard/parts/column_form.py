"""The form of one column: what it may contain, whether it may be missing. All of it is public."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.editing import usual_tokens, with_settings
from understudy.table.authoring.kinds import continuous_of, spanned_grid
from understudy.table.domain import Ranged
from understudy.table.schema import MOST_CATEGORIES, Categories, Column, Continuous, Domain, Grid
from understudy_dashboard import words
from understudy_dashboard.frame import Fields
from understudy_dashboard.parts.listing import (
    categories_of,
    editable,
    lines_of,
    tokens_line,
    tokens_of,
)
from understudy_dashboard.session import Session

_KINDS = tuple(words.KINDS)
_STEPS = "Numbers between two steps go to the nearest."
_NEAREST = {
    "integers": _STEPS,
    "numbers": _STEPS,
    "continuous": "Numbers finer than the precision go to the nearest. A model sees the cell that "
    "a number is in, and the released number is drawn evenly within its cell.",
}


def column_form(session: Session, column: Column) -> None:
    """Edit a column; each change counts at once, or is answered beside its field."""
    refusal: Refusal | None = None
    with public():
        form = _Form(f"{session.revision}-{column.name}", column)
    try:
        changed = form.column()
        if changed != column:
            schema = session.schema
            assert schema is not None
            if changed.buckets != column.buckets:
                session.notices.append(
                    f"The buckets of {words.plain(column.name)} no longer fitted and were adapted: "
                    "look at them on the Buckets page."
                )
            session.describe(schema.replace(changed), by_form=True)
            st.rerun()
    except Refusal as refused:
        refusal = refused
    form.answer(Fields(refusal))


@contextmanager
def public() -> Iterator[None]:
    """Provide a frame around what everybody may come to know, the counterpart of `internal`."""
    with st.container(key="public-column"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge("PUBLIC", icon=":material/public:", color="blue")
            st.caption("Whoever gets the table may know this.")
        yield


class _Form:
    """The widgets of one column, and a place beside each for what is wrong with it."""

    def __init__(self, key: str, column: Column) -> None:
        self._key = key
        self._was = column
        self._title = st.text_input(
            "Title, for people to read", value=column.title, key=self._name("title")
        )
        self._kind = st.radio(
            "It contains",
            _KINDS,
            index=_KINDS.index(column.domain.kind),
            format_func=words.KINDS.__getitem__,
            key=self._name("kind"),
            horizontal=True,
        )
        if self._kind == "categories":
            self._category_widgets()
        else:
            self._range_widgets()
        self._domain_place = st.container()
        self._missing_widgets()

    def column(self) -> Column:
        """Return the column as the widgets have it.

        Raises:
            Refusal: they make none; `field` is one of values, labels, minimum, maximum, step,
                precision, unit, missing_values.
        """
        was, domain = self._was, self._domain()
        tokens = tokens_of(self._tokens) if self._missing else was.missing_values
        settings = {
            "title": self._title.strip(),
            "missing": self._missing,
            "missing_values": tokens,
        }
        if domain != was.domain:
            return with_settings(was, domain=domain, **settings)
        return was.changed(**settings)

    def answer(self, fields: Fields) -> None:
        """Show what is wrong beside the field it is about."""
        with self._missing_place:
            fields.beside("missing_values")
        with self._domain_place:
            fields.rest()

    def _missing_widgets(self) -> None:
        column = self._was
        self._missing = st.checkbox(
            "A value may be missing", value=column.missing, key=self._name("missing")
        )
        self._tokens = ""
        if self._missing:
            tokens = column.missing_values if column.missing else usual_tokens(column)
            self._tokens = st.text_input(
                "Written in the file as",
                value=tokens_line(tokens),
                key=self._name("tokens"),
                help="Separated by commas; (blank) is an empty cell. The first is written in "
                "the released table.",
            )
        self._missing_place = st.container()

    def _category_widgets(self) -> None:
        domain = self._was.domain
        start = domain if isinstance(domain, Categories) else _listed(domain)
        self._lines: str | None = None
        if start is not None and not editable(start):
            st.info(
                "Some of its categories hold line breaks or “ = ”, which this list cannot show. "
                "Change them in the schema file and load that."
            )
            self._start = start
            return
        self._lines = st.text_area(
            "Everything it may contain, one a line",
            value="" if start is None else lines_of(start),
            key=self._name("values"),
            height=240,
            help="Also what happens not to occur in this table. A label for people to read may "
            "follow after “ = ”, as in “1 = Married”.",
        )

    def _range_widgets(self) -> None:
        domain = self._was.domain
        start = _range(domain) if isinstance(domain, Categories) else domain
        low, high, step = st.columns(3)
        self._minimum = low.text_input(
            "Smallest", value=f"{start.minimum:f}", key=self._name("minimum")
        )
        self._maximum = high.text_input(
            "Largest", value=f"{start.maximum:f}", key=self._name("maximum")
        )
        self._step = step.text_input(
            "In cells of" if self._kind == "continuous" else "In steps of",
            value=f"{start.step:f}",
            key=self._name("step"),
        )
        if self._kind == "continuous":
            self._continuous_widgets(_measured(start))
        st.caption(f"Bounds everybody could name without seeing the table. {_NEAREST[self._kind]}")

    def _continuous_widgets(self, start: Continuous | None) -> None:
        precision, unit = st.columns(2)
        self._precision = precision.text_input(
            "Precision",
            value="" if start is None else f"{start.precision:f}",
            key=self._name("precision"),
            help="The distance of neighbouring numbers: 0.1 keeps one decimal. It has to go into "
            "the range and into a cell.",
        )
        self._unit = unit.text_input(
            "Unit",
            value="" if start is None else start.unit,
            key=self._name("unit"),
            placeholder="none",
            help="What is counted, such as kg. It is shown beside the column in what is released.",
        )

    def _domain(self) -> Domain:
        if self._kind == "categories":
            return self._start if self._lines is None else categories_of(self._lines)
        if self._kind == "continuous":
            return Continuous(
                minimum=number(self._minimum, "minimum"),
                maximum=number(self._maximum, "maximum"),
                step=number(self._step, "step"),
                precision=number(self._precision, "precision"),
                unit=self._unit.strip(),
            )
        return Grid(
            kind="integers" if self._kind == "integers" else "numbers",
            minimum=number(self._minimum, "minimum"),
            maximum=number(self._maximum, "maximum"),
            step=number(self._step, "step"),
        )

    def _name(self, field: str) -> str:
        return f"column-{self._key}-{field}"


def number(text: str, field: str) -> Decimal:
    """Return the number in a field.

    Raises:
        Refusal: there is none.
    """
    try:
        return Decimal(text.strip().replace("−", "-"))
    except InvalidOperation:
        raise Refusal(
            f"The {field} is not a number.", "Enter a plain number such as 17 or 0.5.", field=field
        ) from None


def _listed(grid: Ranged) -> Categories | None:
    """Return a range as categories, where it has steps that are few enough to list."""
    few = isinstance(grid, Grid) and grid.size <= MOST_CATEGORIES
    return Categories(values=grid.texts) if few else None


def _measured(domain: Ranged) -> Continuous | None:
    """Return a range as a continuous one, where it can be."""
    if isinstance(domain, Continuous):
        return domain
    try:
        return continuous_of(domain)
    except Refusal:
        return None


def _range(categories: Categories) -> Grid:
    """Return the range that categories span, or 0 to 100 where they are not all numbers."""
    try:
        return spanned_grid(categories)
    except Refusal:
        return Grid(kind="integers", minimum=Decimal(0), maximum=Decimal(100))
