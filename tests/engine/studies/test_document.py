from __future__ import annotations

from understudy.studies.document import Grid, Section, as_markdown, as_page, as_text

SECTIONS = (
    Section(
        "First",
        ("Some words.",),
        (Grid("A caption", ("", "Value"), (("one", "1.0"), ("eleven", "11.0"))),),
        ("And some after.",),
    ),
    Section("Second"),
)


def test_text_puts_numbers_under_each_other() -> None:
    assert as_text(SECTIONS) == (
        "First\n=====\n\nSome words.\n\nA caption\n\n"
        "          Value\n  one       1.0\n  eleven   11.0\n\nAnd some after.\n\nSecond\n======\n"
    )


def test_markdown_is_a_page_of_headings_and_tables() -> None:
    assert as_markdown(SECTIONS) == (
        "## First\n\nSome words.\n\n**A caption**\n\n|  | Value |\n| --- | ---: |\n"
        "| one | 1.0 |\n| eleven | 11.0 |\n\nAnd some after.\n\n## Second\n"
    )


def test_a_page_of_its_own_has_a_title() -> None:
    page = as_page(SECTIONS)
    assert page.startswith("# First\n\nSome words.")
    assert page.endswith("\n\nAnd some after.\n\n## Second\n")


def test_a_name_with_a_bar_stays_in_its_cell() -> None:
    page = as_markdown([Section("x", (), (Grid("", ("", "b"), (("one|two\nthree", "1"),)),))])
    assert "| one\\|two three | 1 |" in page


def test_long_words_are_broken_between_words() -> None:
    text = as_text([Section("x", ("word " * 60,))])
    assert max(map(len, text.splitlines())) <= 96
