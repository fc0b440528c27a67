from __future__ import annotations

from collections.abc import Iterator

import pytest

from understudy.assurance import method_audits, report
from understudy.assurance.check import MUTANTS, Check, Effort, MeasuredValue
from understudy.assurance.method_audits import Audit
from understudy.assurance.seedbased import AUDIT
from understudy.mechanisms import companions


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    method_audits.audits.cache_clear()
    yield
    method_audits.audits.cache_clear()


def test_what_methods_bring_is_found() -> None:
    assert AUDIT in method_audits.audits()
    planned = {(each.part, each.name) for each in report.list_checks()}
    assert {(each.part, each.name) for each in (*AUDIT.claims(), *AUDIT.mutants())} <= planned


def test_what_is_installed_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Check("Elsewhere", "too much", "ε", "there", lambda _: MeasuredValue(1, 2.0))
    mutant = Check.mutant("too little", "nothing is broken", lambda _: MeasuredValue(1, 1.0))
    theirs = Audit(lambda: (claim,), lambda: (mutant,))
    monkeypatch.setattr(companions, "load_installed", lambda group: [("theirs", theirs)])
    planned = report.list_checks()
    assert claim in planned
    assert mutant.part == MUTANTS
    found = {each.check.name: each for each in report.findings((claim, mutant), Effort())}
    assert not found["too much"].passed
    assert not found["too little"].passed
