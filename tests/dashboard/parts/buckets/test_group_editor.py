"""A long list of codes is put into groups by a suggestion, and mended in a table. Which lists are
too long to be related to much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.support import category_schema
from understudy.table.buckets import ByGroups, EachValue
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.parts.bucket_editor import list_ungrouped
from understudy_dashboard.parts.group_editor import MOST_CHIPS
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

CODES = tuple(f"{place:03}" for place in range(500))
BEGINNINGS = ("MGR", "BUS", "FIN", "ENG", "SCI")
LABELS = tuple(f"{BEGINNINGS[place // 100]}-Trade {place}" for place in range(500))


@pytest.fixture
def trades(sessions: Callable[..., Session], schema: Schema) -> Session:
    """A column of 500 trades beside age and pay."""
    trade = Column(name="trade", domain=Categories(values=CODES, labels=LABELS))
    lines = [f"{20 + row % 60},{CODES[row % 500]},low" for row in range(600)]
    made = sessions(
        csv="\n".join(["age,trade,pay", *lines]).encode(),
        schema=schema.with_columns([schema.column("age"), trade, schema.column("pay")]),
    )
    wish = plan_choice(made).wish
    plan_choice(made).planned.wish = replace(wish, records_at_least=20_000)
    return made


def groups(session: Session) -> tuple[str, ...]:
    assert session.settings.schema is not None
    buckets = session.settings.schema.column("trade").buckets
    return tuple(each.label for each in buckets.groups) if isinstance(buckets, ByGroups) else ()


def taken(page: AppTest, name: str) -> None:
    """Take the suggestion of a name."""
    cards = (text.value for text in page.markdown if " groups** · " in text.value)
    place = next(number for number, each in enumerate(cards) if name in each)
    page.button(key=f"suggestion-trade-{place}").click().run()


def test_five_hundred_codes_are_grouped_and_split_in_ten_clicks(
    opened: Opened, said: Said, trades: Session
) -> None:
    page = opened("buckets", trades)
    page.button(key="long-trade").click().run()
    assert "label up to the first “-”" in said(page)
    assert "Can then be related to" in said(page)
    taken(page, "label up to")
    assert groups(trades) == ("MGR", "BUS", "FIN", "ENG", "SCI")
    assert "Group these columns first" not in said(page)
    page.text_input(key="search-groups-trade").input("Trade 49").run()
    assert "11 codes shown" in said(page)
    page.selectbox(key="into-trade").set_value("BUS").run()
    page.button(key="move-trade").click().run()
    assert trades.settings.schema is not None
    buckets = trades.settings.schema.column("trade").buckets
    assert isinstance(buckets, ByGroups)
    assert [len(each.values) for each in buckets.groups] == [99, 111, 100, 100, 90]
    page.button(key="undo").click().run()
    page.button(key="undo").click().run()
    assert trades.settings.schema.column("trade").buckets == EachValue()
    taken(page, "first 2 characters")
    assert trades.settings.schema.column("trade").coarsest == 2
    assert "Kept above these groups: **5 groups**" in said(page)
    drop = next(each for each in page.button if each.label == "Drop the 5 groups")
    drop.click().run()
    assert trades.settings.schema.column("trade").levels == ()
    assert len(groups(trades)) == 50
    assert not page.exception


def test_the_longest_ungrouped_lists_stand_first() -> None:
    schema = category_schema(60, MOST_CHIPS, MOST_CHIPS + 1, 500, 900, halves=frozenset({4}))
    assert [each.name for each in list_ungrouped(schema)] == ["c3", "c0", "c2"]
