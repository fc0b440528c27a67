"""What the custodian writes on a packet. All of it is public."""

from __future__ import annotations

import unicodedata
from typing import Any, Final, final

from pydantic import field_validator

from understudy.core.refusal import Refusal
from understudy.core.text_escape import first_unseen
from understudy.core.validation import Frozen

LONGEST_LINE: Final = 160
LONGEST_NOTE: Final = 4_000

_NAMED: Final = {
    "title": "title",
    "by": "name",
    "dated": "date",
    "dataset": "name of the dataset",
    "note": "note",
}


@final
class Cover(Frozen, what="the title page"):
    """The texts of the title page, as typed.

    The date is shown here and is not the computer's: under the protocol “releases” nobody may learn
    how long a run took, and a date of making would bound it.

    Attributes:
        title: what the packet is called; not empty.
        by: who answers for it, with their role.
        dated: the date on the title page.
        dataset: what the confidential data are called in public; never the name of a file.
        note: anything else; lines are kept.

    Raises:
        Refusal: a text is empty that may not be, too long, or holds a control character.
    """

    title: str
    by: str = ""
    dated: str = ""
    dataset: str = ""
    note: str = ""

    @field_validator("title", "by", "dated", "dataset")
    @classmethod
    def _line(cls, text: str, info: Any) -> str:
        line = " ".join(text.split())
        _check(line, info.field_name, LONGEST_LINE)
        return line

    @field_validator("title")
    @classmethod
    def _check_title(cls, title: str) -> str:
        if not title:
            raise Refusal(
                "The packet has no title.",
                "Give it one, such as what the data are about and of which year.",
                field="title",
            )
        return title

    @field_validator("note")
    @classmethod
    def _lines(cls, text: str) -> str:
        lines = [" ".join(line.split()) for line in text.strip().splitlines()]
        note = "\n".join(lines).strip()
        _check(note.replace("\n", " "), "note", LONGEST_NOTE)
        return note


def _check(text: str, field: str, most: int) -> None:
    if len(text) > most:
        raise Refusal(
            f"The {_NAMED[field]} is longer than {most:,} characters.", "Shorten it.", field=field
        )
    if first_unseen(text) is not None or any(unicodedata.category(each) == "Co" for each in text):
        raise Refusal(
            f"The {_NAMED[field]} holds a character that cannot be printed, or is not seen.",
            "Type it anew, without what was pasted.",
            field=field,
        )
