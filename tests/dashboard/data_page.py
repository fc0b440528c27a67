"""What is done on the Data page: files are given, fields are found by the ends of their keys."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.dashboard.spoken_for import answer_all
from understudy_dashboard.session import Session


def uploader(page: AppTest, label: str) -> Any:
    """The place for files whose label has these words."""
    return next(each for each in page.file_uploader if label in each.label)


def upload(page: AppTest, name: str, content: bytes, label: str = "CSV") -> AppTest:
    """The page, given a file."""
    uploader(page, label).upload(name, content)
    return page.run()


def open_answered(page: AppTest, name: str, content: bytes) -> AppTest:
    """The Data page, given a table of which everything that is asked first is answered."""
    upload(page, name, content)
    answer_all(session_of(page))
    return page.run()


def session_of(page: AppTest) -> Session:
    """What the page knows."""
    session: Session = page.session_state["session"]
    return session


def keyed(page: AppTest, kind: str, ending: str) -> Any:
    """The field of a kind whose key ends like this."""
    return next(each for each in getattr(page, kind) if str(each.key).endswith(ending))
