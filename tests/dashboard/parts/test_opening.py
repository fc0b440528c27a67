"""Opening a table: which reason is given where it cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.refusal import Refusal
from understudy.table.raw import RawTable
from understudy_dashboard.parts import table_opening
from understudy_dashboard.session import Session


def test_a_file_that_is_no_table_either_way_is_refused_by_what_was_declared(
    session: Session,
) -> None:
    def refuse(said: str) -> Any:
        def refused(*_: object) -> RawTable:
            raise Refusal(said, "Mend it.", field="table")

        return refused

    with pytest.raises(Refusal, match="As declared") as caught:
        table_opening._read_first(session, refuse("As it seems."), refuse("As declared."))
    assert caught.value.field == "table"
    found = session.data.table
    assert found is not None
    assert (
        table_opening._read_first(session, lambda: found.raw, refuse("As declared.")) is found.raw
    )
    session.settings.schema = None
    with pytest.raises(Refusal, match="As it seems"):
        table_opening._read_first(session, refuse("As it seems."), refuse("As declared."))
