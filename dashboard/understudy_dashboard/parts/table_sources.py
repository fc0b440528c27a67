"""The ways to open a table: a simulated sample, a file, a database, small grey pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.expected_utility import Known, check_possible
from understudy.mechanisms.registry import mechanisms
from understudy.table.authoring.column_origins import set_origin
from understudy.table.declared_reading import Reading, usual
from understudy.table.pictures.picture_schema import MOST_PIXELS, Pictures
from understudy.table.positions.likely import likely
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.source import allowed_folders, allowed_path
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import draw_link, mark_internal, show_refusal
from understudy_dashboard.loaded_table import (
    CENSUS,
    CITY,
    HOSPITAL,
    STAYS,
    LoadedTable,
    Sample,
)
from understudy_dashboard.open_project import take_table
from understudy_dashboard.parts.file_reading import (
    TakenFile,
    ask_file_path,
    describe_folders,
    describe_reading,
    draw_file_reading,
    draw_upload,
    upload_limit,
)
from understudy_dashboard.session import Session

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


_CONNECTION, _PASSWORD, _QUERY = "database-connection", "database-password", "database-query"
_REMEMBERED = "database-remembered"
_FIELDS = ("connection", "password", "query")


def draw_database(session: Session, take: TakenFile) -> None:
    """Draw a form with a connection string, a password and what to read.

    The password is forgotten with the form. One that was typed into the connection string is moved
    to its own field, where nobody can read it.
    """
    _fill_connection(session)
    with st.form("database", border=False):
        connection = st.text_input(
            "Connection string",
            key=_CONNECTION,
            placeholder="postgresql://user@host/database",
            help="As SQLAlchemy writes it. PostgreSQL: postgresql://user@host:5432/database. "
            "SQLite: sqlite:/// and the path of the file.",
        )
        places = {"connection": st.container()}
        password = st.text_input(
            "Password",
            type="password",
            key=_PASSWORD,
            autocomplete="off",
            help="Used once to connect. It is not kept anywhere.",
        )
        places["password"] = st.container()
        query = st.text_area(
            "Table, or a query that begins with SELECT",
            key=_QUERY,
            height=100,
            placeholder="people",
            help="It is run for reading only. Best with an account that may do nothing else.",
        )
        places["query"] = st.container()
        asked = st.form_submit_button("Open from the database", on_click=_hide_password)
        places["table"] = st.container()
    if asked:
        _take_database(session, take, places, connection, password, query)


def _take_database(
    session: Session,
    take: TakenFile,
    places: dict[str, DeltaGenerator],
    connection: str,
    password: str,
    query: str,
) -> None:
    """Read it, and answer a refusal beside the field that it is about."""
    # SQLAlchemy takes a moment to load, and most tables come from files.
    from understudy.table.sources.databases.address import without_password
    from understudy.table.sources.databases.database import read_query, table_name

    try:
        name = table_name(connection, query)
        with places["table"], st.spinner("Asking the database…"):
            raw = read_query(
                connection, query, password=password or None, folders=allowed_folders()
            )
    except Refusal as refusal:
        with places[refusal.field if refusal.field in _FIELDS else "table"]:
            show_refusal(refusal)
        return
    kept = without_password(connection), query.strip()
    with places["table"]:
        take(name, lambda: raw, connection=kept)


def _fill_connection(session: Session) -> None:
    """Fill in what the open project was last read with."""
    if session.project is None or st.session_state.get(_REMEMBERED) == session.revision:
        return
    st.session_state[_REMEMBERED] = session.revision
    about = session.project.about()
    st.session_state[_CONNECTION], st.session_state[_QUERY] = about.connection, about.query


def _hide_password() -> None:
    """Move a password out of the connection string, where everybody can read it."""
    from understudy.table.sources.databases.address import password_in, without_password

    connection = st.session_state.get(_CONNECTION, "")
    with suppress(Refusal):
        password = password_in(connection)
        if password:
            st.session_state[_PASSWORD] = password
            st.session_state[_CONNECTION] = without_password(connection)


TakenAs = Callable[[str, Callable[[], RawTable], Schema], None]
"""Takes a table: its name, what reads it, and the schema that was declared with it."""

_NUMBERS: Final = (
    ("height", "Rows of pixels", 8, MOST_PIXELS, "In the table, once pixels are taken together."),
    ("width", "Pixels in a row", 8, MOST_PIXELS, f"Rows times pixels are at most {MOST_PIXELS}."),
    (
        "reduced",
        "Pixels taken together, each way",
        1,
        64,
        "So many pixels of the file, each way, become one by their mean. 1 keeps them as they are.",
    ),
    ("levels", "Level of white", 16, 255, "Black is 0. Few levels are enough for small pictures."),
    ("white", "White in the file", 255, 255, "255 in files of pictures; an NPZ file may differ."),
)
"""Of each number: its setting, its label, what it begins with, its most, and what it means."""


def _draw_pictures(turn: int, take: TakenAs) -> None:
    """Draw a form with what is publicly known of pictures, and a place for their file.

    Args:
        turn: raised whenever the place should be empty again.
        take: what takes the table that they make.
    """
    limit = upload_limit()
    with st.form(f"pictures-{turn}", border=False):
        given = st.file_uploader(
            "An NPZ file or a ZIP archive of grey pictures",
            type=["npz", "zip"],
            key=f"pictures-upload-{turn}",
            max_upload_size=limit,
            help="NPZ: an array “pictures” of (n, height, width) whole numbers. ZIP: PNG, BMP, "
            f"PGM, JPEG or GIF files of one size, in grey. Up to {limit:,} MB.",
        )
        typed = _ask_path(turn)
        st.caption(
            "A picture is one record, and each of its pixels a column. Size and levels are "
            "declared, and have to be known to everybody; none is looked up in the pictures."
        )
        settings, places = _ask_numbers(turn)
        settings["labels"] = st.text_input(
            "Labels, with commas between them",
            key=f"pictures-labels-{turn}",
            placeholder="none",
            help="Every label that a picture may have. A picture’s own is the name of its folder, "
            "or stands in the array “labels”. A person’s name is no label.",
        )
        places["labels"] = st.container()
        shown = _ask_people(turn)
        asked = st.form_submit_button("Open these pictures")
        below = st.container()
    if not asked:
        return
    if given is None and not typed:
        with below:
            show_refusal(
                Refusal("No file is given.", "Choose the file of the pictures, or its path.")
            )
        return
    try:
        about = _read_declared(settings)
        _check_possible(about, *shown)
    except Refusal as refusal:
        with places.get(refusal.field or "", below):
            show_refusal(refusal)
        return
    with below:
        if given is not None:
            content, name = given.getvalue(), given.name
            take(
                name, lambda: _read_pictures(content, about, name, limit << 20), about.make_schema()
            )
        else:
            place = Path(typed)
            take(place.name, lambda: _open_pictures(place, about), about.make_schema())


def _ask_path(turn: int) -> str:
    """Return the path that is typed where nothing is uploaded; "" for none."""
    folders = allowed_folders()
    typed: str = st.text_input(
        "Or the path of a folder or a file of pictures on this machine",
        key=f"pictures-path-{turn}",
        placeholder="/home/me/pictures",
        help="For many pictures: nothing is copied or sent. A folder is read with those within it.",
    )
    if folders is not None:
        st.caption(describe_folders(folders))
    return typed.strip()


def _ask_numbers(turn: int) -> tuple[dict[str, Any], dict[str, DeltaGenerator]]:
    """Return what is entered, and where a refusal of each stands."""
    settings: dict[str, Any] = {}
    places: dict[str, DeltaGenerator] = {}
    for some in (_NUMBERS[:2], _NUMBERS[2:]):
        row = st.columns(len(some), vertical_alignment="bottom")
        below = st.container()
        for at, (name, label, default, most, why) in zip(row, some, strict=True):
            settings[name] = at.number_input(
                label,
                min_value=1,
                max_value=most,
                value=default,
                key=f"pictures-{name}-{turn}",
                help=why,
            )
            places[name] = below
    return settings, places


def _ask_people(turn: int) -> tuple[int | None, int]:
    """Return how many people are publicly known to be shown, None where nobody said, and how many
    pictures of each there are at most."""
    people, each = st.columns(2, vertical_alignment="bottom")
    many = people.number_input(
        "People shown, publicly known",
        min_value=1,
        value=None,
        step=1,
        key=f"pictures-people-{turn}",
        placeholder="nobody has said",
        help="Where it is said, pictures of which nothing could be released at ε = 1 for each "
        "person are refused before one is read, and you are told why.",
    )
    own = each.number_input(
        "Pictures of one person, at most",
        min_value=1,
        value=1,
        key=f"pictures-each-{turn}",
        help="All pictures of a person are protected together, and cost more the more there are.",
    )
    return (None if many is None else int(many)), int(own)


def _check_possible(about: Pictures, people: int | None, each: int) -> None:
    """Check that something could be released of pictures of so many people, where it is known.

    Raises:
        Refusal: nothing could.
    """
    if people is not None:
        schema = about.make_schema()
        check_possible(mechanisms().values(), schema, Known(people * each, each))


def _read_declared(settings: Mapping[str, Any]) -> Pictures:
    """Return what the form declares.

    Raises:
        Refusal: there cannot be such pictures.
    """
    labels = tuple(each.strip() for each in settings["labels"].split(",") if each.strip())
    return Pictures(**{**settings, "labels": labels})


def _open_pictures(place: Path, about: Pictures) -> RawTable:
    """Return the pictures at a path.

    Raises:
        Refusal: nothing may be opened there, or as `isolated_pictures`.
    """
    from understudy.table.sources.isolated_pictures import isolated_pictures

    return isolated_pictures(allowed_path(place, allowed_folders()), about).table()


def _read_pictures(content: bytes, about: Pictures, name: str, limit: int) -> RawTable:
    # Most tables are none of pictures, and need not wait for what reads these.
    from understudy.table.sources.isolated_pictures import isolated_pictures

    return isolated_pictures(content, about, limit, name=name).table()


LEADS_ON = "opening-leads-on"
"""Set until Data is drawn: a table that is opened on the page of projects leads on to it."""
_FOUND = {"new": "is open.", "known": "is recognised, and everything stands as you left it."}
_WAYS = ("Upload a file", "A file on this machine", "A database", "Pictures")


def open_sample(session: Session, sample: Sample = CENSUS) -> None:
    """Open a simulated table with its declared schema."""
    take_table(session, sample.table, sample.schema())
    session.notices.append(sample.ready)


def draw_opening(session: Session) -> None:
    """Draw the ways to open a table, side by side; of a project that waits for its own, no
    others."""
    if is_demonstration():
        with st.container(border=True, width=560):
            _draw_samples(session)
        return
    if session.project is not None:
        with st.container(border=True):
            _draw_own_table(session)
    else:
        sample_at, own = st.columns([2, 3], gap="large")
        with sample_at, st.container(border=True):
            _draw_samples(session)
        with own, st.container(border=True):
            _draw_own_table(session)
    st.caption(
        ":material/home: The table is read into the memory of the computer that runs this page "
        "and goes nowhere else. It is forgotten when you close the page."
    )


def _draw_samples(session: Session) -> None:
    st.subheader("See how it works", anchor=False)
    _draw_sample(session, CENSUS, "sample", "primary")
    _draw_sample(session, HOSPITAL, "sample-hospital", "secondary")
    _draw_sample(session, CITY, "sample-city", "secondary")
    _draw_sample(session, STAYS, "sample-discharges", "secondary")


def _draw_sample(
    session: Session, sample: Sample, key: str, kind: Literal["primary", "secondary"]
) -> None:
    """Draw what a sample holds, and a button that opens it."""
    st.markdown(sample.about)
    if st.button(f"Try it with {sample.name}", type=kind, icon=":material/play_arrow:", key=key):
        with st.spinner(f"Opening {sample.name}…"):
            open_sample(session, sample)
        st.rerun()


def _draw_own_table(session: Session) -> None:
    st.subheader("Open your own table", anchor=False)
    st.markdown(
        "One record a row, each column with a name. Where one person has several rows, you say so "
        "once it is open."
    )

    def take_table(
        name: str,
        read: Callable[[], RawTable],
        connection: tuple[str, str] = ("", ""),
        again: Callable[[Reading], RawTable] | None = None,
        *,
        reading_chosen: bool = False,
    ) -> None:
        def load_table() -> LoadedTable:
            raw = _read_first(session, read, None if reading_chosen else again)
            # An upload's bytes are kept only where there is another way to read them.
            other = again if _has_other_readings(raw) else None
            return LoadedTable(
                name, raw, connection=connection, again=other, reading_chosen=reading_chosen
            )

        _take_table(session, name, load_table)

    def take_pictures(name: str, read: Callable[[], RawTable], schema: Schema) -> None:
        # Whoever fills in the form says what every pixel may be.
        described = set_origin(schema, "design", schema.names)
        _take_table(
            session, name, lambda: LoadedTable(name, read(), connection=("", "")), described
        )

    by_upload, by_path, by_query, by_picture = st.tabs(_WAYS, key="opening-ways")
    with by_upload:
        draw_upload(session.revision, take_table)
    with by_path:
        ask_file_path(take_table)
    with by_query:
        draw_database(session, take_table)
    with by_picture:
        _draw_pictures(session.revision, take_pictures)


def _has_other_readings(raw: RawTable) -> bool:
    """Return whether a file may be read otherwise than it was."""
    positions = raw.reading.positions is not None or likely(raw.names).found
    return positions or raw.reading.kind in ("csv", "excel")


def _read_first(
    session: Session,
    read: Callable[[], RawTable],
    again: Callable[[Reading], RawTable] | None,
) -> RawTable:
    """Read a file as the open project has it read; if that fails, as the file suggests, so that the
    page can ask.

    Raises:
        Refusal: it is no table either way; why not in the first.
    """
    if session.settings.schema is None or again is None:
        return read()
    try:
        return again(session.settings.schema.reading or usual("csv"))
    except Refusal as as_declared:
        with suppress(Refusal):
            return read()
        raise Refusal(as_declared.problem, as_declared.remedy, field=as_declared.field) from None


def _take_table(
    session: Session, name: str, read: Callable[[], LoadedTable], schema: Schema | None = None
) -> None:
    """Read a table and open it; an upload's bytes go when the page is drawn next.

    Args:
        session: the page's state.
        name: what to call the table.
        read: reads it.
        schema: the schema that was declared with it, where one was.
    """
    try:
        with st.spinner("Reading the table…"):
            found = take_table(session, read(), schema)
            # Said before the spinner ends: whoever pressed twice has the page drawn anew there.
            if found != "asked":
                session.notices.append(f"{words.escape(_name_at_start(name))} {_FOUND[found]}")
    except Refusal as refusal:
        show_refusal(refusal)
        return
    st.rerun()


def _name_at_start(name: str) -> str:
    """Return a table's name at the beginning of a sentence; that of a file stays as it is."""
    return f"A{name[1:]}" if name.startswith("a query of ") else name


def _format_size(table: LoadedTable) -> str:
    records = words.count(table.raw.rows, "record")
    return f"{records}, {words.count(len(table.raw.names), 'column')}"


def draw_open_table(session: Session) -> None:
    """Draw the table that is open, how it was read, and a way to close it."""
    table = session.data.table
    assert table is not None
    with st.container(border=True):
        with st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        ):
            st.markdown(
                f"**{words.escape(table.name)}** · "
                f"{describe_reading(table.raw.reading, session.settings.schema)}"
            )
            if st.button("Close this table", key="close"):
                session.unload_table()
                st.rerun()
        draw_file_reading(session)
        made_of_positions = table.raw.reading.positions is not None
        for note in () if made_of_positions else table.raw.notes:
            st.caption(f":material/info: {words.escape(note)}")
        if session.data.simulated:
            st.caption(
                f"{_format_size(table)}. Nobody in it exists, so how many there are is public."
            )
        else:
            with mark_internal(
                "rows", f"{_format_size(table)}. How many there are is confidential too."
            ):
                pass
        if table.name == CENSUS.name and session.settings.declared:
            draw_link("generate", "Everything is ready: go straight to Generate")
