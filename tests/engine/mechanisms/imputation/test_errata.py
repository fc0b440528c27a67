"""Every statement that is printed wrongly is as wrong as is said."""

from __future__ import annotations

import pytest

from understudy.mechanisms.imputation.errata import ERRATA

BY_NUMBER = {each.number: each for each in ERRATA}


@pytest.mark.parametrize("number", [*BY_NUMBER])
def test_each_is_as_wrong_as_is_said(number: str) -> None:
    erratum = BY_NUMBER[number]
    assert (erratum.factor() or 0) > 1
    assert erratum.prints
    assert erratum.instead


def test_every_error_is_there_once() -> None:
    said = " ".join(BY_NUMBER)
    for number in (
        "2.10", "3.3.1", "on 4.2", "4.3", "6.2", "6.4", "6.5", "6.9, 6.10", "6.11, 6.12", "6.13",
        "6.16", "6.19", "6.21, 6.22", "7, introduction", "7.3", "7.7", "7.8", "one draw",
        "7.12, 7.13", "7.14", "7.15", "7.16", "7, summary", "Figure 7.1",
        "7.14, its δ", "7.15, its tail",
    ):  # fmt: skip
        assert number in said
    assert len(BY_NUMBER) == len(ERRATA) == 26


def test_only_what_promises_too_much_is_unsafe() -> None:
    found = {each.number for each in ERRATA if each.verdict == "unsafe"}
    assert found == {
        "6, on 4.2", "6.2", "7.3", "7.8", "7.8, rows from one draw", "7.12, 7.13", "7.14",
    }  # fmt: skip
