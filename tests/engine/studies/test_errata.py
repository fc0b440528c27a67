"""Every error of a publication is told of in one document, which is current and holds."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from understudy.mechanisms.errata import SOURCES, VERDICTS, Errata, Erratum
from understudy.mechanisms.imputation.errata import ERRATA as OF_THESIS
from understudy.studies.document import as_page
from understudy.studies.overviews import definitions_document, errata_document
from understudy.studies.reproduction import reproductions

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
