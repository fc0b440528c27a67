"""Tables as archives have them, on the Data page: opened, described and confirmed with nothing
edited in the file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import keyed, say_sources, session_of, upload
from understudy.samples import archives
from understudy_dashboard.parts import columns

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@dataclass(frozen=True)
class Archive:
    """A table, and what is said of it.

    Attributes:
        write: writes so many rows or people.
        many: how many.
        kept: how many rows of a person are kept; None where each row is another person's.
        order: the column that is suggested for their order.
        only: the beginning of the names of the columns that are used; "" for all.
        coded: a column with codes for missing, and these.
    """

    write: Callable[[int, Path], None]
    many: int
    kept: int | None
    order: str
    only: str
    coded: tuple[str, dict[str, str]]
    away: frozenset[str] = field(default_factory=frozenset)


_PANEL = ("income", dict(archives.PANEL_CODES))
ARCHIVES = {
    "hospital": Archive(
        archives.write_hospital, 4_000, 2, "admitted_at", "",
        ("systolic", dict(archives.HOSPITAL_CODES)),
        frozenset({"encounter_no", "patient_no", "surname", "forename"}),
    ),
    "panel": Archive(
        archives.write_panel, 600, 3, "wave", "", _PANEL, frozenset({"person"})
    ),
    "questionnaire": Archive(
        archives.write_questionnaire, 150, None, "", "q7_",
        ("q7_3", dict(archives.QUESTIONNAIRE_CODES)),
    ),
}  # fmt: skip


def change(page: AppTest, names: list[str], what: str, text: str = "") -> None:
    """Change some columns together."""
    session = session_of(page)
    turn = session.editing.turn + 1
    columns.take_list_deeds(session, [{"act": "pick", "names": names, "number": turn}])
    page.run()
    if session.editing.changed_together:
        page.selectbox(key="bulk-more").select(what).run()
    else:
        page.selectbox(key="bulk-what").select(what).run()
    if text:
        page.text_area(key="bulk-meanings").input(text).run()
    page.button(key="bulk-apply").click().run()
    assert not page.exception


@pytest.mark.parametrize(
    "name",
    [
        "hospital",
        "panel",
        pytest.param(
            "questionnaire",
            marks=pytest.mark.thorough(
                "engine/cli/test_archives.py::test_from_the_file_to_a_verified_packet"
            ),
        ),
    ],
)
def test_an_archive_is_described_and_confirmed(
    name: str, opened: Opened, said: Said, tmp_path: Path
) -> None:
    archive, path = ARCHIVES[name], tmp_path / f"{name}.csv"
    archive.write(archive.many, path)
    page = upload(opened("data"), path.name, path.read_bytes())
    session = session_of(page)
    _answer(page, archive)
    assert session.data.table is not None
    names = list(session.data.table.raw.names)
    used = [each for each in names if each.startswith(archive.only)]
    if archive.only:
        change(page, used, "Use only these")
    coded, codes = archive.coded
    lines = "\n".join(f"{code} = {meaning}" for code, meaning in codes.items())
    change(page, used, "Meanings of codes for missing", lines)
    assert session.settings.schema is not None
    say_sources(page)
    keyed(page, "checkbox", session.settings.schema.fingerprint).check().run()
    page.button(key="confirm-data").click().run()
    assert not page.exception
    schema = session.settings.schema
    assert schema is not None
    assert schema.declared
    given = {each.written: each.label for each in schema.column(coded).missing_codes}
    assert given == codes
    away = {each.name for each in schema.omissions}
    assert {*schema.names} | away == {*names}
    assert archive.away <= away
    if archive.only:
        assert {each.startswith(archive.only) for each in schema.names} == {True}
    else:
        assert archive.away == away


def _answer(page: AppTest, archive: Archive) -> None:
    """Answer what the promise is about."""
    session = session_of(page)
    if archive.kept is None:
        keyed(page, "radio", "people-several").set_value("No, one row at most").run()
    else:
        keyed(page, "radio", "people-several").set_value("Yes, several").run()
        assert session.answers.order == archive.order
        keyed(page, "number_input", "people-most").set_value(archive.kept).run()
    next(each for each in page.button if "this number is public" in each.label).click().run()
    keyed(page, "radio", "whose").set_value("new").run()
    assert not page.exception
