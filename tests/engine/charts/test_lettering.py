"""Cutting labels and telling them apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from understudy.charts import scales

TITLES = st.lists(st.text(alphabet="ab (2)…", max_size=12), max_size=12)


@given(st.text(max_size=60), st.integers(2, 20))
def test_a_cut_text_fits(text: str, most: int) -> None:
    assert len(scales.shorten(text, most)) <= most
    assert all(len(line) <= most for line in scales.two_lines(text, most))
    assert all(len(line) <= most for line in scales.ends_kept(text, most))


def test_a_short_text_is_left_alone() -> None:
    assert scales.shorten("Marital  status", 14) == "Marital status"
    assert scales.two_lines("Age", 8) == ["Age"]
    assert scales.ends_kept("Age", 8) == ["Age"]


def test_a_cut_text_says_so() -> None:
    assert scales.shorten("Class of worker", 9) == "Class of…"
    assert scales.two_lines("Hours worked per week", 12) == ["Hours worked", "per week"]
    assert scales.ends_kept("Place of birth of mother", 10) == ["Place of b", "…of mother"]


@given(TITLES)
def test_no_two_labels_are_alike(texts: list[str]) -> None:
    for labels in (scales.distinct(texts), scales.shortened_apart(texts, 5)):
        assert len(labels) == len(texts)
        assert len(set(labels)) == len(labels)


def test_a_number_that_is_taken_is_passed_over() -> None:
    assert scales.distinct(["a", "a (2)", "a", "a"]) == ["a", "a (2)", "a (3)", "a (4)"]


def test_twins_keep_their_ends() -> None:
    born = ["Place of birth of father", "Place of birth of mother"]
    first, second = scales.shortened_apart(born, 16)
    assert first.endswith("father")
    assert second.endswith("mother")


def test_twins_that_begin_and_end_alike_show_where_they_part() -> None:
    working = ["Self-employed, not incorporated", "Self-employed, incorporated"]
    first, second = scales.shortened_apart(working, 20)
    assert "not" in first
    assert "not" not in second
    assert "(2)" not in second
    assert max(len(first), len(second)) <= 20
