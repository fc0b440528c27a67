"""Every page with a table full of canaries open: what is not marked internal shows none of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.canaries.conftest import Watch
from tests.canaries.planted import STRAY, canaries, csv, frame, schema
from tests.canaries.test_formats import POLICIES
from tests.components_found import components_found as components_found
from tests.dashboard.builders import answer_all
from tests.dashboard.conftest import APP
from tests.engine.table.formats import write
from understudy.mechanisms.seedbased.plan import Plan
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.session import Session
from understudy_dashboard.table_diagnostics import TableDiagnostics

VIEWS = sorted(
    path.stem for path in (Path(APP).parent / "views").glob("*.py")
    if path.stem not in ("sign_in", "packets")
)  # fmt: skip
MARKED = "internal-"


def opened(*, policies: bool) -> Session:
    """A session with the table open, its schema declared."""
    session = Session()
    session.open(LoadedTable("people.csv", read_table(csv(), name="people.csv")), schema())
    assert session.settings.schema is not None
    plan_choice(session).use(
        Draft.of_plan(
            Plan.of(
                session.settings.schema,
                seeds_at_least=50,
                public_records=600,
                attempts=200,
                delta=1e-6,
            )
        )
    )
    answer_all(session, 600)
    session.settings.policies = dict(POLICIES) if policies else {}
    return session


def unmarked(node: Any) -> Iterator[str]:
    """All that a page says and holds outside of what wears the internal mark."""
    proto = getattr(node, "proto", None)
    if MARKED in str(getattr(proto, "id", "")):
        return
    children = getattr(node, "children", None)
    if children:
        for child in children.values():
            yield from unmarked(child)
    elif proto is not None:
        yield str(proto)


def drawn(session: Session, view: str) -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.session_state["session"] = session
    return page.switch_page(f"views/{view}.py").run()


@pytest.mark.parametrize(
    ("view", "policies"),
    [(view, True) for view in VIEWS] + [(view, False) for view in ("data", "generate", "explore")],
)
def test_a_page(view: str, policies: bool, watch: Watch) -> None:
    page = drawn(opened(policies=policies), view)
    assert not page.exception
    watch.said.extend(unmarked(page._tree))
    # A fault of the page would be a sentence of its own, and prove nothing.
    assert not any("did not foresee" in each.value for each in page.error)
    assert watch.found() == []


def test_the_mark_is_seen(watch: Watch) -> None:
    """The Data page shows counts of the confidential table, under the mark."""
    page = drawn(opened(policies=True), "data")
    everything = "\n".join(str(each) for each in page._tree)
    assert MARKED in everything or any(MARKED in str(each.proto) for each in _blocks(page._tree))
    assert len("\n".join(unmarked(page._tree))) < len("\n".join(_all(page._tree)))


def _blocks(node: Any) -> Iterator[Any]:
    for child in getattr(node, "children", {}).values():
        yield child
        yield from _blocks(child)


def _all(node: Any) -> Iterator[str]:
    children = getattr(node, "children", None)
    if children:
        for child in children.values():
            yield from _all(child)
    elif getattr(node, "proto", None) is not None:
        yield str(node.proto)


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx", "dta", "sav", "xpt", "sas7bdat"])
def test_a_file_is_opened(kind: str, tmp_path: Path, watch: Watch) -> None:
    """By upload, with whatever the reader and the suggestion have to say."""
    path = write(kind, frame(150), tmp_path / f"people.{kind}")
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.switch_page("views/data.py").run()
    uploader = next(each for each in page.file_uploader if "CSV" in each.label)
    uploader.upload(path.name, path.read_bytes())
    page.run()
    session: Session = page.session_state["session"]
    assert session.data.table is not None
    watch.said.extend(_told(page))
    # What is suggested is read off the table, and kept in the project for the custodian to settle.
    assert watch.found(but=("state.json",)) == []


def test_a_database_is_opened(tmp_path: Path, watch: Watch) -> None:
    """By the page's form, and once more in vain, when its words may quote what is there."""
    path = write("sqlite", frame(150), tmp_path / "people.sqlite")
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.switch_page("views/data.py").run()
    for query in ("SELECT * FROM people WHERE nothing = 1", "people"):
        page.text_input(key="database-connection").input(f"sqlite:///{path}")
        page.text_area(key="database-query").input(query)
        asked = next(each for each in page.button if each.label == "Open from the database")
        asked.click().run()
        watch.said.extend(_told(page))
    session: Session = page.session_state["session"]
    assert session.data.table is not None
    assert watch.found(but=("state.json",)) == []


def _told(page: AppTest) -> list[str]:
    """All that a page says in its coloured boxes."""
    kinds = ("error", "warning", "success", "info")
    return [each.value for kind in kinds for each in getattr(page, kind)]


def test_what_nobody_foresaw(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ValueError(f"cannot convert {STRAY!r}")

    session = opened(policies=True)
    monkeypatch.setattr(TableDiagnostics, "outside", fails)
    page = drawn(session, "data")
    assert any("did not foresee" in each.value for each in page.error)
    watch.said.extend(unmarked(page._tree))
    assert watch.found() == []
    assert canaries(STRAY)
