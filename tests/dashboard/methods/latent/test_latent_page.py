"""A latent model on every page, from its settings to a packet that verifies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.left_behind import agree
from tests.dashboard.packet_made import packet_made
from understudy.core.home import home
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.projects.state import Sizes
from understudy.report.verify import verify
from understudy.runs.control import runs, start, wait
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.methods.latent.words import WORDS
from understudy_dashboard.methods.method_settings import FormSettings
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
_RECORDS, _FLAGS = 1_500, 6


def flags_csv() -> bytes:
    """Flags behind the first five of which stands one number, and a last one on its own."""
    random = np.random.default_rng(3)
    hidden = random.normal(size=(_RECORDS, 1))
    flags = hidden + random.normal(size=(_RECORDS, _FLAGS)) > 1.0
    flags[:, -1] = random.random(_RECORDS) < 0.2
    lines = [",".join(f"flag{place}" for place in range(_FLAGS))]
    lines += [",".join("yes" if each else "no" for each in row) for row in flags]
    return "\n".join(lines).encode()


def flags_schema() -> Schema:
    both = Categories(values=("no", "yes"))
    names = [f"flag{place}" for place in range(_FLAGS)]
    columns = tuple(Column(name=each, domain=both) for each in names)
    return Schema(columns=columns).declare_public()


@pytest.fixture
def chosen(sessions: Callable[..., Session]) -> Session:
    """The flags, and the method chosen with settings that suit them."""
    session = sessions(flags_csv(), flags_schema())
    session.settings.method = LatentPlan.kind
    settings = session.settings.of_method()
    assert isinstance(settings, FormSettings)
    session.settings.set_sizes(Sizes(records=1500, rows=600))
    small = {"epsilon": 8.0, "most_ones": 3, "width": 2, "held_out": 0.3}
    for name, value in small.items():
        setattr(settings.held, name, value)
    return session


def test_from_the_settings_to_a_packet_that_verifies(
    opened: Opened, said: Said, chosen: Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened("privacy", chosen)
    assert not page.exception
    assert "a relation is kept from a correlation of" in said(page)
    page.switch_page("views/generate.py").run()
    assert "600 rows" in said(page)
    agree(page)
    page.button(key="generate").click().run()
    (run,) = runs(home)
    assert wait(run).state == "finished"
    page.switch_page("views/inspect.py").run()
    assert not page.exception
    assert not page.error
    tabs = [each.label for each in page.tabs]
    assert tabs[-2:] == ["Hidden numbers", "Compare"]
    page.session_state["inspect-tab"] = "Hidden numbers"
    page.run()
    assert not page.exception
    assert "keeps what of it they carry" in said(page)
    page.session_state["inspect-Hidden numbers"] = "Records and what is kept"
    page.run()
    assert not page.exception
    assert "without any noise" in said(page)
    page.session_state["inspect-Hidden numbers"] = "A map of records"
    page.run()
    assert not page.exception
    for name in ("release", "ledger", "present", "explore", "buckets"):
        page.switch_page(f"views/{name}.py").run()
        assert not page.exception
        assert not page.error
    page.switch_page("views/release.py").run()
    packet = packet_made(page, monkeypatch)
    assert verify(packet.path).passed
    assert not any("hidden" in name or "carried" in name for name, _ in packet.files)


def test_hidden_numbers_need_the_table_that_they_were_learned_from(
    opened: Opened, said: Said, chosen: Session
) -> None:
    made = start(Job(chosen.records(), chosen.settings.plan()), home(), dataset=dataset_of(chosen))
    assert wait(made).state == "finished"
    chosen.data.table = None
    page = opened("inspect", chosen)
    page.session_state["inspect-tab"] = "Hidden numbers"
    page.run()
    assert not page.exception
    assert "This needs the confidential table" in said(page)


def test_a_network_is_not_listed_with_numbers_that_it_has_not() -> None:
    plan = LatentPlan(domain="d", model="variational")
    assert WORDS.list_settings(plan) == {"Model": "A small network", "Rows": "10,000"}
    assert WORDS.list_settings(LatentPlan(domain="d"))["Hidden numbers"] == "4"
    assert WORDS.describe_plan(plan) == "10,000 rows of a small network"
