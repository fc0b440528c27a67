"""What a plan will not keep is said by name on the decision screen, before anything is spent."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from tests.dashboard.spoken_for import say_new
from tests.support import category_schema
from understudy.projects.state import Sizes
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.privacy import COLUMNS
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

LOST = "“c0” will be unrelated to every other column"


def test_a_column_that_cannot_be_related_is_named_unless_there_are_more_records(
    opened: Opened, said: Said
) -> None:
    schema = category_schema(900, 8, 5, 12, 4).declare_public()
    lines = [",".join(schema.names), *(f"v{row},v1,v2,v3,v0" for row in range(60))]
    session = Session()
    session.open(
        LoadedTable("codes.csv", read_table("\n".join(lines).encode(), name="c.csv")), schema
    )
    say_new(session)
    session.settings.set_sizes(Sizes(records=10_000))
    page = opened("privacy", session, detail=COLUMNS)
    assert LOST in said(page)
    session.settings.set_sizes(Sizes(records=10_000_000))
    assert LOST not in said(page.run())
