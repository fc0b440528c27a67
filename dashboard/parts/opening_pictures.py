"""Opening small grey pictures as a table: what is declared of them, and their file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.frame import refuse
from dashboard.parts.opening_file import upload_limit
from engine.core.refusal import Refusal
from engine.table.pictures.declared import MOST_PIXELS, Pictures
from engine.table.raw import RawTable
from engine.table.schema import Schema

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
            "or stands in the array “labels”. A person’s name is no label. A latent model takes "
            "pictures without labels.",
        )
        places["labels"] = st.container()
        asked = st.form_submit_button("Open these pictures")
        below = st.container()
    if not asked:
        return
    if given is None:
        with below:
            refuse(Refusal("No file is given.", "Choose the file of the pictures."))
        return
    try:
        about = _declared(settings)
    except Refusal as refusal:
        with places.get(refusal.field or "", below):
            refuse(refusal)
        return
    content, name = given.getvalue(), given.name
    with below:
        take(name, lambda: _read(content, about, name, limit << 20), about.described())


def _numbers(turn: int) -> tuple[dict[str, Any], dict[str, DeltaGenerator]]:
    """What is entered, and where a refusal of each stands."""
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


def _declared(settings: Mapping[str, Any]) -> Pictures:
    """What the form declares.

    Raises:
        Refusal: there cannot be such pictures.
    """
    labels = tuple(each.strip() for each in settings["labels"].split(",") if each.strip())
    return Pictures(**{**settings, "labels": labels})


def _read(content: bytes, about: Pictures, name: str, limit: int) -> RawTable:
    # Most tables are none of pictures, and need not wait for what reads these.
    from engine.table.sources.isolated_pictures import isolated_pictures

    return isolated_pictures(content, about, limit, name=name).table()
