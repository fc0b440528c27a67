"""What one column may contain, or many together: the form, and its lists as text. All of it is
public."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.edits import usual_tokens, with_range, with_settings
from understudy.table.authoring.suggestion import respell
from understudy.table.column import READ_OFF, Column, Origin
from understudy.table.domain import Domain, Setting
from understudy.table.grid import spanned_grid
from understudy.table.kinds import class_of_kind, convert_domain, list_kinds
from understudy.table.missing_codes import MissingCode, unlabelled
from understudy_dashboard import words
from understudy_dashboard.frame import FieldRefusals, show_refusal
from understudy_dashboard.parts.confirmation import ask_line
from understudy_dashboard.session import Session

BLANK = "(blank)"
_MEANS = " = "
_TOKEN: Final = re.compile(r'\s*"((?:[^"]|"")+)"\s*(?:,|$)|([^,]+)')
_LINE: Final = re.compile(r'((?:\s*"(?:[^"]|"")+"|.)*?)(?: = (.*))?$')
"""The texts of a code for missing, some in quotation marks, and its meaning."""


def fits_lines(domain: Domain) -> bool:
    """Return whether a list of lines says the same; not with line breaks or “ = ” in a value."""
    try:
        return read_lines(type(domain), format_categories(domain)) == domain
    except Refusal:
        return False


def format_categories(domain: Domain) -> str:
    """Return one value a line: its text and, where there is one, “ = ” and its label."""
    pairs = zip(domain.texts, domain.given_labels or domain.texts, strict=True)
    return "\n".join(
        value if value == label else f"{value}{_MEANS}{label}" for value, label in pairs
    )


def read_lines(kind: type[Domain], lines: str) -> Domain:
    """Return the values of an edited list; blank lines do not count.

    Args:
        kind: the class of the column.
        lines: the list.

    Raises:
        Refusal: the list is empty or too long, or names a value twice.
    """
    parts = [line.strip().partition(_MEANS) for line in lines.splitlines() if line.strip()]
    values = [value.strip() for value, _, _ in parts]
    return kind.from_values(values, [label.strip() for _, _, label in parts])


def format_tokens(tokens: Sequence[str]) -> str:
    """Return the texts that stand for missing, separated by commas; one that holds a sign of the
    list stands in quotation marks."""
    return ", ".join(map(_quote_token, tokens))


def _quote_token(token: str) -> str:
    if not token:
        return BLANK
    bare = not any(sign in token for sign in (",", '"', "=")) and token != BLANK
    return token if bare else '"' + token.replace('"', '""') + '"'


def format_missing(codes: Sequence[MissingCode]) -> str:
    """Return one code for missing a line: its texts and, where there is one, “ = ” and its
    meaning."""
    return "\n".join(
        format_tokens(code.values) + (f"{_MEANS}{code.label}" if code.label else "")
        for code in codes
    )


def parse_missing_lines(lines: str) -> list[MissingCode]:
    """Return the codes for missing of an edited list; blank lines do not count.

    Raises:
        Refusal: one cannot be used.
    """
    codes = []
    for line in lines.splitlines():
        found = _LINE.match(f" {line.strip()} ")
        if line.strip() and found is not None:
            texts, label = found.groups(default="")
            codes.append(MissingCode(values=parse_tokens(texts), label=label.strip()))
    return codes


def parse_tokens(line: str) -> tuple[str, ...]:
    """Return the texts of an edited line, each once, in order; a blank one if there is none."""
    tokens = []
    for quoted, bare in _TOKEN.findall(line):
        if quoted:
            tokens.append(quoted.replace('""', '"'))
        elif bare.strip():
            tokens.append("" if bare.strip() == BLANK else bare.strip())
    return tuple(dict.fromkeys(tokens)) or ("",)


MISSING_LINES: Final = "Codes for missing, one a line: -8 = not asked"
MISSING_HELP: Final = (
    "Codes on different lines are kept apart. Several spellings of one code stand on its line, "
    'separated by commas, with "quotation marks" around one that has a comma; the first is '
    "written in the released table. (blank) is an empty cell. A meaning that begins with “not "
    "applicable” says that there is no value, such as the wage of a child."
)

_SETTINGS_A_ROW: Final = 3
_FEW_CHOICES: Final = 4


def draw_column_form(session: Session, column: Column) -> None:
    """Edit a column; each change counts at once, or is answered beside its field."""
    refusal: Refusal | None = None
    with mark_public():
        if column.domain.question:
            _ask_spelling(session, column)
        _draw_source(session, column)
        form = _ColumnForm(f"{session.revision}-{column.name}", column)
        _ask_source(session, column)
    try:
        changed = form.read_column()
        if changed != column:
            schema = session.settings.schema
            assert schema is not None
            if changed.buckets != column.buckets:
                session.notices.append(
                    f"The buckets of {words.escape(column.name)} no longer fitted and were "
                    "adapted: "
                    "look at them on the Buckets page."
                )
            session.describe(schema.replace(changed), by_form=True)
            st.rerun()
    except Refusal as refused:
        refusal = refused
    form.answer(FieldRefusals(refusal))


_SOURCES: Final[Mapping[Origin, tuple[str, str, str]]] = {
    "labels": ("LABELS OF THE FILE", "label", "Its values are those that the file has labels for."),
    "bounds": (
        "USUAL BOUNDS",
        "straighten",
        "Its bounds are those that everybody knows for what it is called: check that it is that.",
    ),
    "table": (
        "READ OFF YOUR TABLE",
        "warning",
        "You confirmed it by name; no noise protects what was read off.",
    ),
}


def _draw_source(session: Session, column: Column) -> None:
    """Draw where it is known from what a column may contain, above the fields that say it."""
    if session.data.is_read_off(column):
        label, icon = "READ OFF YOUR TABLE", "warning"
        why = "It comes from people’s records. Put what is publicly known in its place."
    elif not column.origin:
        label, icon, why = "NO SOURCE YET", "help", "Say below where it is publicly known from."
    elif column.origin in _SOURCES:
        label, icon, why = _SOURCES[column.origin]
    else:
        label, icon, why = "SOURCE", "check", f"{words.escape(column.known_from)}."
    warns = column.origin in ("", "table")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="source-now"):
        st.badge(label, icon=f":material/{icon}:", color="orange" if warns else "green")
        st.caption(why)


def _ask_source(session: Session, column: Column) -> None:
    """Ask where it is known from what a column may contain."""
    ask_line(
        session,
        (column.name,),
        "" if column.origin in READ_OFF else column.known_from,
        "Where this is known from",
        f"source-{session.revision}-{column.name}",
    )


def _ask_spelling(session: Session, column: Column) -> None:
    """Ask how the values of a column are written, where that is still to be said."""
    domain, key = column.domain, f"spelling-choice-{session.revision}-{column.name}"
    st.warning(words.escape(domain.question), icon=":material/help:")
    asked = "It is written as"
    if len(domain.choices) <= _FEW_CHOICES:
        choice = st.radio(
            asked, domain.choices, index=None, format_func=_explain_choice(domain), key=key
        )
    else:
        choice = st.selectbox(
            asked,
            domain.choices,
            index=None,
            format_func=_explain_choice(domain),
            placeholder="Choose one",
            key=key,
        )
    if choice is None:
        return
    try:
        table = session.data.table
        said = (
            with_range(column, spelling=choice)
            if table is None
            else respell(column, table.raw, choice)
        )
    except Refusal as refusal:
        show_refusal(refusal)
        return
    notes = session.data.notes.get(column.name, ())
    answered = tuple(note for note in notes if note != domain.question)
    session.data.notes = {**session.data.notes, column.name: answered}
    session.describe(session.settings.require_schema().replace(said))
    st.rerun()


def _explain_choice(domain: Domain) -> Callable[[str], str]:
    return lambda choice: words.escape(domain.explain_choice(choice))


@contextmanager
def mark_public() -> Iterator[None]:
    """Provide a frame around what everybody may come to know, the counterpart of `internal`."""
    with st.container(key="public-column"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge("PUBLIC", icon=":material/public:", color="blue")
            st.caption("Whoever gets the table may know this.")
        yield


class _ColumnForm:
    """The widgets of one column, and a place beside each for what is wrong with it."""

    def __init__(self, key: str, column: Column) -> None:
        self._key = key
        self._was = column
        self._title = st.text_input(
            "Title, for people to read", value=column.title, key=self._key_of("title")
        )
        kinds = list_kinds()
        self._kind = st.radio(
            "It contains",
            list(kinds),
            index=list(kinds).index(column.domain.kind),
            format_func=lambda kind: kinds[kind].title,
            key=self._key_of("kind"),
            horizontal=True,
        )
        self._class = class_of_kind(self._kind)
        self._start = _convert_or_none(column.domain, self._kind)
        self._values: dict[str, str] = {}
        self._lines: str | None = None
        if self._class.settings:
            self._draw_settings()
        else:
            self._draw_list()
        self._domain_place = st.container()
        self._draw_missing()

    def read_column(self) -> Column:
        """Return the column as the widgets have it.

        Raises:
            Refusal: they make none; `field` is one of values, labels, minimum, maximum, step,
                precision, unit, missing_codes.
        """
        was, domain = self._was, self._read_domain()
        settings: dict[str, Any] = {"title": self._title.strip(), "missing": self._missing}
        if self._missing:
            codes = parse_missing_lines(self._tokens)
            settings["missing_codes"] = tuple(codes) or (MissingCode(),)
        if domain != was.domain:
            return with_settings(was, domain=domain, **settings)
        return was.changed(**settings)

    def answer(self, fields: FieldRefusals) -> None:
        """Show what is wrong beside the field it is about."""
        with self._missing_place:
            fields.beside("missing_codes")
        with self._domain_place:
            fields.rest()

    def _draw_missing(self) -> None:
        column = self._was
        self._missing = st.checkbox(
            "A value may be missing", value=column.missing, key=self._key_of("missing")
        )
        self._tokens = ""
        if self._missing:
            usual = unlabelled(usual_tokens(column))
            codes = column.missing_codes if column.missing else usual
            self._tokens = st.text_area(
                MISSING_LINES,
                value=format_missing(codes),
                key=self._key_of("tokens"),
                height=68 + 24 * max(0, len(codes) - 1),
                help=MISSING_HELP,
            )
        self._missing_place = st.container()

    def _draw_list(self) -> None:
        start = self._start
        if start is not None and not fits_lines(start):
            st.info(
                "Some of its categories hold line breaks or “ = ”, which this list cannot show. "
                "Change them in the schema file and load that."
            )
            return
        self._lines = st.text_area(
            "Everything it may contain, one a line",
            value="" if start is None else format_categories(start),
            key=self._key_of("values"),
            height=240,
            help="Also what happens not to occur in this table. A label for people to read may "
            "follow after “ = ”, as in “1 = Married”.",
        )

    def _draw_settings(self) -> None:
        beginnings = _list_setting_texts(self._was.domain, self._kind)
        settings = self._class.settings
        for start in range(0, len(settings), _SETTINGS_A_ROW):
            row = settings[start : start + _SETTINGS_A_ROW]
            for place, setting in zip(st.columns(len(row)), row, strict=True):
                with place:
                    self._values[setting.name] = self._ask(setting, beginnings[setting.name])
        st.caption(f"Bounds everybody could name without seeing the table. {self._class.advice}")

    def _ask(self, setting: Setting, beginning: str) -> str:
        """Draw the widget of a setting, and return what it holds."""
        key = self._key_of(setting.name)
        if not setting.options:
            return st.text_input(
                setting.label,
                value=beginning,
                key=key,
                help=setting.help,
                placeholder=setting.placeholder,
            )
        options = list(setting.options)
        return st.selectbox(
            setting.label,
            options,
            index=options.index(beginning) if beginning in options else 0,
            format_func=setting.options.__getitem__,
            key=key,
            help=setting.help,
        )

    def _read_domain(self) -> Domain:
        if self._lines is not None:
            return read_lines(self._class, self._lines)
        if not self._class.settings:
            assert self._start is not None
            return self._start
        return self._class.from_texts(self._kind, self._values)

    def _key_of(self, field: str) -> str:
        return f"column-{self._key}-{field}"


def _convert_or_none(domain: Domain, kind: str) -> Domain | None:
    """Return the values of a column as another kind, None if they cannot be."""
    try:
        return convert_domain(domain, kind)
    except Refusal:
        return None


def _list_setting_texts(domain: Domain, kind: str) -> dict[str, str]:
    """Return what the fields for the settings of a kind begin with, as far as the column so far
    tells; otherwise what is usual."""
    settings = class_of_kind(kind).settings
    so_far = domain if domain.ordered else _find_span(domain)
    alike = so_far is not None and so_far.numeric is class_of_kind(kind).numeric
    known = [so_far if alike else None, _convert_or_none(domain, kind)]
    texts = {setting.name: setting.opening for setting in settings}
    for each in known:
        texts |= {} if each is None else each.setting_texts()
    return {setting.name: texts[setting.name] for setting in settings}


def _find_span(domain: Domain) -> Domain | None:
    """Return the range that listed values span; None if they are not all numbers."""
    try:
        return spanned_grid(domain.texts)
    except Refusal:
        return None
