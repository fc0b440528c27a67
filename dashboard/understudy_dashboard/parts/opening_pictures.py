"""Opening small grey pictures as a table: what is declared of them, and their file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.beforehand import Known, check_possible
from understudy.mechanisms.registry import mechanisms
from understudy.table.pictures.declared import MOST_PIXELS, Pictures
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.source import allowed_folders, allowed_path
from understudy_dashboard.frame import refuse
from understudy_dashboard.parts.opening_file import upload_limit, where_from

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

TakenAs = Callable[[str, Callable[[], RawTable], Schema], None]
"""Takes a table: its name, what reads it, and the schema that was declared with it."""

_NUMBERS: Final = (
    ("height", "Rows of pixels", 8, MOST_PIXELS, "In the table, once pixels are taken together."),
    ("width", "Pixels in a row", 8, MOST_PIXELS, f"Rows times pixels are at most {MOST_PIXELS}."),
    (
        "reduced", "Pixels taken together, each way", 1, 64,
        "So many pixels of the file, each way, become one by their mean. 1 keeps them as they are.",
    ),
    ("levels", "Level of white", 16, 255, "Black is 0. Few levels are enough for small pictures."),
    ("white", "White in the file", 255, 255, "255 in files of pictures; an NPZ file may differ."),
)  # fmt: skip
"""Of each number: its setting, its label, what it begins with, its most, and what it means."""


def pictures(turn: int, take: TakenAs) -> None:
    """A form with what is publicly known of pictures, and a place for their file.

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
        typed = _path(turn)
        st.caption(
            "A picture is one record, and each of its pixels a column. Size and levels are "
            "declared, and have to be known to everybody; none is looked up in the pictures."
        )
        settings, places = _numbers(turn)
        settings["labels"] = st.text_input(
            "Labels, with commas between them",
            key=f"pictures-labels-{turn}",
            placeholder="none",
            help="Every label that a picture may have. A picture’s own is the name of its folder, "
            "or stands in the array “labels”. A person’s name is no label.",
        )
        places["labels"] = st.container()
        shown = _people(turn)
        asked = st.form_submit_button("Open these pictures")
        below = st.container()
    if not asked:
        return
    if given is None and not typed:
        with below:
            refuse(Refusal("No file is given.", "Choose the file of the pictures, or its path."))
        return
    try:
        about = _declared(settings)
        _check_possible(about, *shown)
    except Refusal as refusal:
        with places.get(refusal.field or "", below):
            refuse(refusal)
        return
    with below:
        if given is not None:
            content, name = given.getvalue(), given.name
            take(name, lambda: _read(content, about, name, limit << 20), about.described())
        else:
            place = Path(typed)
            take(place.name, lambda: _opened(place, about), about.described())


def _path(turn: int) -> str:
    """Return the path that is typed where nothing is uploaded; "" for none."""
    folders = allowed_folders()
    typed: str = st.text_input(
        "Or the path of a folder or a file of pictures on this machine",
        key=f"pictures-path-{turn}",
        placeholder="/home/me/pictures",
        help="For many pictures: nothing is copied or sent. A folder is read with those within it.",
    )
    if folders is not None:
        st.caption(where_from(folders))
    return typed.strip()


def _numbers(turn: int) -> tuple[dict[str, Any], dict[str, DeltaGenerator]]:
    """Return what is entered, and where a refusal of each stands."""
    settings: dict[str, Any] = {}
    places: dict[str, DeltaGenerator] = {}
    for some in (_NUMBERS[:2], _NUMBERS[2:]):
        row = st.columns(len(some), vertical_alignment="bottom")
        below = st.container()
        for at, (name, label, usual, most, why) in zip(row, some, strict=True):
            settings[name] = at.number_input(
                label,
                min_value=1,
                max_value=most,
                value=usual,
                key=f"pictures-{name}-{turn}",
                help=why,
            )
            places[name] = below
    return settings, places


def _people(turn: int) -> tuple[int | None, int]:
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
        schema = about.described()
        check_possible(mechanisms().values(), schema, Known(people * each, each))


def _declared(settings: Mapping[str, Any]) -> Pictures:
    """Return what the form declares.

    Raises:
        Refusal: there cannot be such pictures.
    """
    labels = tuple(each.strip() for each in settings["labels"].split(",") if each.strip())
    return Pictures(**{**settings, "labels": labels})


def _opened(place: Path, about: Pictures) -> RawTable:
    """Return the pictures at a path.

    Raises:
        Refusal: nothing may be opened there, or as `isolated_pictures`.
    """
    from understudy.table.sources.isolated_pictures import isolated_pictures

    return isolated_pictures(allowed_path(place, allowed_folders()), about).table()


def _read(content: bytes, about: Pictures, name: str, limit: int) -> RawTable:
    # Most tables are none of pictures, and need not wait for what reads these.
    from understudy.table.sources.isolated_pictures import isolated_pictures

    return isolated_pictures(content, about, limit, name=name).table()
