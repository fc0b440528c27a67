"""What goes wrong is answered in words, and quotes nothing."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.debugging import traceback_file


def _breaks() -> None:
    from understudy_dashboard.frame import show_page

    def body(_: object) -> None:
        raise KeyError("Jane Doe, 47, of Example Street")

    show_page("Page", "About it.", body)


def _refuses() -> None:
    from understudy.core.refusal import Refusal
    from understudy_dashboard.frame import show_page

    def body(_: object) -> None:
        raise Refusal("The file *a_b* is empty.", "Choose another.")

    show_page("Page", "About it.", body)


def _beside() -> None:
    import streamlit as st

    from understudy.core.refusal import Refusal
    from understudy_dashboard.frame import FieldRefusals

    fields = FieldRefusals(Refusal("k is too large.", "Choose a smaller k.", field="k"))
    fields.beside("gamma")
    st.caption("after γ")
    fields.beside("k")
    st.caption("after k")
    fields.rest()


def test_an_unforeseen_error_is_never_quoted() -> None:
    page = AppTest.from_function(_breaks).run()
    assert not page.exception
    assert len(page.error) == 1
    assert "Jane" not in page.error[0].value
    assert "did not foresee" in page.error[0].value
    assert "UNDERSTUDY\\_DEBUG=1" in page.error[0].value
    assert not traceback_file().exists()


def test_the_traceback_of_a_page_is_written_if_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEBUG", "1")
    page = AppTest.from_function(_breaks).run()
    assert "Jane" not in page.error[0].value
    assert "debug.log" in page.error[0].value
    assert "Jane Doe" in traceback_file().read_text(encoding="utf-8")


def test_a_refusal_is_shown_with_its_remedy_letter_by_letter() -> None:
    page = AppTest.from_function(_refuses).run()
    assert page.error[0].value == r"**The file \*a\_b\* is empty.** Choose another."


def test_a_refusal_stands_beside_its_field_and_only_there() -> None:
    page = AppTest.from_function(_beside).run()
    kinds = [each.type for each in page.main if each.type in ("caption", "error")]
    assert kinds == ["caption", "error", "caption"]
