"""Every error of a publication is told of in one document, which is current and holds."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import altair as alt
import pandas as pd
import pytest

from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.mechanisms import companions
from understudy.mechanisms.errata import SOURCES, VERDICTS, Errata, Erratum
from understudy.mechanisms.imputation.errata import ERRATA as OF_THESIS
from understudy.studies import reproduction
from understudy.studies.comparison import Comparison, ComparisonEntry, Numbers, document_of
from understudy.studies.document import (
    DocumentGrid,
    Picture,
    Section,
    as_markdown,
    as_page,
    as_text,
    write,
)
from understudy.studies.overviews import definitions_document, errata_document
from understudy.studies.reproduction import ReproductionRequest, reproductions
from understudy.studies.seedbased.reproductions import Census

SECTIONS = (
    Section(
        "First",
        ("Some words.",),
        (DocumentGrid("A caption", ("", "Value"), (("one", "1.0"), ("eleven", "11.0"))),),
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
    page = as_markdown(
        [Section("x", (), (DocumentGrid("", ("", "b"), (("one|two\nthree", "1"),)),))]
    )
    assert "| one\\|two three | 1 |" in page


def test_long_words_are_broken_between_words() -> None:
    text = as_text([Section("x", ("word " * 60,))])
    assert max(map(len, text.splitlines())) <= 96


def compared(*entries: ComparisonEntry) -> Comparison:
    return Comparison("Table 9", "What is measured", "page 3", ("Method", "n"), entries)


def cells(*entries: ComparisonEntry) -> tuple[tuple[str, ...], ...]:
    (grid,) = compared(*entries).section().grids
    return (grid.header, *grid.rows)


def test_a_number_stands_beside_ours_with_what_they_differ_by() -> None:
    assert cells(
        ComparisonEntry(("one", "5"), 1.25, 1.0), ComparisonEntry(("two", "5"), 2.0, 2.001)
    ) == (
        ("Method", "n", "Published", "Ours", "Difference"),
        ("one", "5", "1.25", "1.00", "−0.25"),
        ("two", "5", "2.00", "2.00", "0.00"),
    )


def test_what_is_not_known_is_a_dash() -> None:
    assert cells(
        ComparisonEntry(("one", "5"), None, 1.0), ComparisonEntry(("two", "5"), 1_000.0, None)
    )[1:] == (
        ("one", "5", "–", "1.00", "–"),
        ("two", "5", "1,000.00", "–", "–"),
    )


def test_intervals_and_notes_have_columns_where_there_are_any() -> None:
    header, first, second = cells(
        ComparisonEntry(("one", "5"), 1.0, 1.5, low=-1.0, high=2.0),
        ComparisonEntry(("two", "5"), 1.0, 1.5, note="A digit is missing in print."),
    )
    assert header[-2:] == ("Interval of ours", "Note")
    assert first[-3:] == ("+0.50", "−1.00 to 2.00", "")
    assert second[-2:] == ("–", "A digit is missing in print.")


def test_the_data_is_not_rounded() -> None:
    entry = ComparisonEntry(("one", "5"), 1.0, 1 / 3)
    (found,) = compared(entry).as_dict()["entries"]
    assert found["Method"] == "one"
    assert found["ours"] == 1 / 3
    assert found["difference"] == pytest.approx(-2 / 3)


def test_a_document_says_how_it_came_about() -> None:
    def read(path: Path, schema: object, policies: object) -> None:
        raise AssertionError

    asked = ReproductionRequest(True, None, {}, "understudy reproduce one", "2026-11-23", read)  # type: ignore[arg-type]
    found = document_of("One, run again", ["Simulated."], asked, [compared()])
    text = as_text(found.sections)
    assert "understudy reproduce one" in text
    assert "Table 9" in text
    assert found.data["tables"][0]["source"] == "page 3"
    assert not found.internal


def test_numbers_are_found_by_their_cells_and_none_takes_anothers_place() -> None:
    found = Numbers(
        [
            compared(
                ComparisonEntry(("one", "5"), 1.0, 0.5), ComparisonEntry(("one", "6"), 1.0, None)
            )
        ]
    )
    assert found.ours("Table 9", "one", "5") == 0.5
    assert found.ours("Table 9", "two", "5") is None
    assert found.all_of("Table 9", None, "5") == [(("one", "5"), 0.5)]
    assert found.all_of("Table 9", "one") == [(("one", "5"), 0.5)]
    with pytest.raises(AssertionError, match="twice"):
        Numbers(
            [
                compared(
                    ComparisonEntry(("one", "5"), 1.0, 0.5), ComparisonEntry(("one", "5"), 1.0, 0.6)
                )
            ]
        )


def test_what_methods_bring_is_found_by_name() -> None:
    found = reproduction.reproductions()
    assert found["census"] == Census()
    assert all(name == each.name and each.title for name, each in found.items())


def test_what_is_installed_comes_after_and_replaces_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = Census(name="other")
    monkeypatch.setattr(
        companions, "load_installed", lambda group: [("other", other), ("census", other)]
    )
    reproduction.reproductions.cache_clear()
    try:
        found = reproduction.reproductions()
    finally:
        reproduction.reproductions.cache_clear()
    assert found["other"] is other
    assert found["census"] == Census()


def test_listing_them_loads_no_library_of_numbers() -> None:
    code = (
        "import sys; from understudy.studies.reproduction import reproductions; reproductions(); "
        "print([name for name in ('numpy', 'pandas', 'altair', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


NUMBERS = pd.DataFrame({"k": [1, 10], "rate": [0.5, 0.25]})


def picture(name: str, numbers: pd.DataFrame = NUMBERS) -> Picture:
    chart = alt.Chart(NUMBERS).mark_point().encode(x="k:Q", y="rate:Q")
    return Picture(name, "Rates", chart, numbers)


def test_each_picture_is_two_files_in_order(tmp_path: Path) -> None:
    place = tmp_path / "new" / "figures"
    written = write([picture("two"), picture("one")], place, internal=False)
    assert [each.name for each in written] == ["two.svg", "two.csv", "one.svg", "one.csv"]
    assert {each.parent for each in written} == {place}
    assert written[0].read_text(encoding="utf-8").startswith("<svg")
    assert written[1].read_text(encoding="utf-8") == "k,rate\n1,0.5\n10,0.25\n"


def test_what_is_internal_says_so_and_is_nobody_elses_to_read(tmp_path: Path) -> None:
    place = tmp_path / "figures"
    written = write([picture("one")], place, internal=True)
    assert [each.name for each in written] == ["INTERNAL-one.svg", "INTERNAL-one.csv"]
    assert {each.stat().st_mode & 0o777 for each in written} == {0o600}
    assert place.stat().st_mode & 0o777 == 0o700
    _, *rows = written[1].read_text(encoding="utf-8").splitlines()
    assert len(rows) == 2
    assert all(NOT_FOR_RELEASE in each for each in rows)


def test_numbers_hold_no_formula(tmp_path: Path) -> None:
    numbers = pd.DataFrame({"=1+1": ["@a", "-1"], "n": [-1.5, 2.0]})
    _, written = write([picture("one", numbers)], tmp_path, internal=False)
    assert written.read_text(encoding="utf-8") == "'=1+1,n\n'@a,-1.5\n-1,2.0\n"


def test_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(OSError, match="taken"):
        write([picture("one")], tmp_path / "taken", internal=False)


ROOT = Path(__file__).parents[3]
ALL = [
    (errata, each)
    for one in reproductions().values()
    for errata in one.errata()
    for each in errata.errata
]
COMPUTED = [pytest.param(each, id=f"{of.part or of.source[:9]}: {each.number}") for of, each in ALL]


@pytest.mark.parametrize("erratum", COMPUTED)
def test_each_is_as_wrong_as_is_said(erratum: Erratum) -> None:
    assert all((erratum.prints, erratum.wrong, erratum.instead, erratum.figure))
    assert erratum.verdict in VERDICTS
    factor = erratum.factor()
    if factor is None:
        assert erratum.figure.startswith(("read", "measured by", "the printed digits"))
    else:
        assert factor > 1.0005, "the two figures are the same"
        assert not math.isnan(factor)


def test_every_source_has_its_errors_and_the_list_of_the_thesis_is_part_of_it() -> None:
    assert {of.source for of, _ in ALL} == set(SOURCES)
    assert [each for each in OF_THESIS if each not in [one for _, one in ALL]] == []


@pytest.mark.parametrize(
    "said",
    [
        "m(m + 1)", "Example 3.6", "(6.11)", "Lemma C.12 (a)", "7, summary", "Figure 7.1",
        "7.14, its δ", "7.15, its tail", "Table 9.2", "Table 9.4", "Algorithm 6.4", "Lemma 5.1",
        "1/(2(n + 1))", "argmin", "79 ages",
    ],
)  # fmt: skip
def test_an_error_that_is_known_is_there(said: str) -> None:
    text = [f"{each.number} {each.prints} {each.wrong} {each.instead}" for _, each in ALL]
    assert any(said in each for each in text)


def test_the_document_of_errors_is_current() -> None:
    """`understudy reproduce --errata --markdown > docs/errata.md`."""
    found = [errata for each in reproductions().values() for errata in each.errata()]
    made = as_page(errata_document(found).sections)
    assert (ROOT / "docs" / "errata.md").read_text(encoding="utf-8") == made


def test_the_document_of_definitions_is_current() -> None:
    """`understudy reproduce --definitions --markdown > docs/reproduction/definitions.md`."""
    found = {each.title: each.definitions() for each in reproductions().values()}
    named = {title: several for title, several in found.items() if several}
    made = as_page(definitions_document(named).sections)
    path = ROOT / "docs" / "reproduction" / "definitions.md"
    assert path.read_text(encoding="utf-8") == made


def test_sources_of_other_packages_come_last() -> None:
    other = Errata("Somebody 2030", "", (Erratum("1", "a", "b", "c", "wrong", "read", None),))
    ours = Errata(SOURCES[0], "", ())
    data = errata_document([other, ours]).data["errata"]
    assert [each["source"] for each in data] == ["Somebody 2030"]
    titles = [each.title for each in errata_document([other, ours]).sections]
    assert titles[1:] == [SOURCES[0], "Somebody 2030"]
