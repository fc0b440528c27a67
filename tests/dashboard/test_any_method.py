"""A method of another package, which brings nothing for pages, on every page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.session import Session
from dashboard.spending import dataset
from engine.runs.control import home, start, wait
from engine.runs.work import Job
from tests.installed_mechanism.installing import noisy_histogram
from tests.installed_mechanism.noisy_histogram import HistogramPlan

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
KIND = HistogramPlan.kind


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with noisy_histogram(tmp_path, monkeypatch):
        yield


@pytest.fixture
def chosen(session: Session) -> Session:
    """The tiny table, and the method chosen."""
    session.method = KIND
    return session


@pytest.fixture
def released(chosen: Session) -> Session:
    """The same, with a run that has finished."""
    made = start(Job(chosen.records(), chosen.plan()), home(), dataset=dataset(chosen))
    assert wait(made).state == "finished"
    return chosen


def test_it_is_chosen_in_words_and_the_choice_can_be_taken_back(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    choice = page.radio(key="method")
    assert choice.value == "seedbased"
    choice.set_value(KIND).run()
    assert not page.exception
    assert session.method == KIND
    assert "Made by **Noisy histogram**" in said(page)
    page = opened("data", session)
    page.button(key="undo").click().run()
    assert session.method == "seedbased"
    page.button(key="redo").click().run()
    assert session.method == KIND
