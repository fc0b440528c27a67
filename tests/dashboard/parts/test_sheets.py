"""A finished run of pictures: real beside made on Inspect, made ones alone on Release."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from tests.dashboard.spoken_for import say_new
from understudy.core.files import INTERNAL
from understudy.core.home import home
from understudy.mechanisms.registry import opening_plan
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy.table.pictures.declared import Pictures
from understudy.table.pictures.grey import GreySet
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def made() -> Session:
    """Pictures of 3 × 3 pixels, open, and a run that made others of them."""
    about = Pictures(height=3, width=3, levels=4)
    light = np.random.default_rng(3).integers(0, 3, (600, 1, 1))
    grey = (light + np.random.default_rng(4).integers(0, 3, (600, 3, 3))).astype(np.uint8)
    session = Session()
    table = GreySet(about, grey, np.zeros(600, np.uint8)).table()
    session.open(LoadedTable("p.npz", table), about.described().declare_public())
    session.settings.method = "latent"
    say_new(session)
    assert session.settings.schema is not None
    plan = opening_plan("latent", session.settings.schema, {"rows": 300})
    run = start(Job(session.records(), plan), home(), dataset=dataset_of(session))
    assert wait(run).state == "finished"
    return session


def sheets(page: AppTest) -> list[Image.Image]:
    """The pictures within a page, in their order."""
    found = [
        re.search(r'src="data:image/png;base64,([^"]+)" alt="The first', each.proto.body)
        for each in page.get("html")
    ]
    return [Image.open(io.BytesIO(base64.b64decode(each[1]))) for each in found if each]


def test_real_ones_stand_marked_beside_made_ones(opened: Opened, made: Session) -> None:
    page = opened("inspect", made)
    page.session_state["inspect-tab"] = "Pictures"
    page.run()
    assert not page.exception
    assert [each.info.get("Comment") for each in sheets(page)] == [INTERNAL, None]


def test_without_the_table_no_real_one_is_shown(opened: Opened, made: Session) -> None:
    page = opened("inspect", Session())
    page.session_state["inspect-tab"] = "Pictures"
    page.run()
    assert not page.exception
    assert [each.info.get("Comment") for each in sheets(page)] == [None]
    assert any("Open them to see some" in each.value for each in page.info)


def test_made_ones_can_be_saved_on_release(opened: Opened, made: Session) -> None:
    page = opened("release", made)
    assert not page.exception
    (sheet,) = sheets(page)
    assert "Comment" not in sheet.info
    assert "pictures-synthetic" in {str(each.key) for each in page.download_button}


def test_between_made_ones_more_is_drawn_when_it_is_asked_for(
    opened: Opened, said: Said, made: Session
) -> None:
    page = opened("release", made)
    assert not page.exception
    choice = next(each for each in page.radio if str(each.key).startswith("between-"))
    assert choice.value is None
    assert len(choice.options) == 2
    for each, told in (("walks", "even steps"), ("decodings", "decoded several times")):
        page.radio(key=choice.key).set_value(each).run()
        assert not page.exception
        assert not page.error
        assert told in said(page)
