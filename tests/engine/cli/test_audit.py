from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from understudy.assurance import report
from understudy.assurance.finding import Check, Effort, Measured
from understudy.privacy.randomness import RandomSource

Asked = list[tuple[RandomSource | None, Effort]]


def checks_of(asked: Asked, *worsts: tuple[str, float]) -> Callable[..., tuple[Check, ...]]:
    """Stands in for the checks, and keeps what they are asked with."""

    def planned(source: RandomSource | None = None) -> tuple[Check, ...]:
        def check(name: str, worst: float) -> Check:
            def measure(effort: Effort) -> Measured:
                asked.append((source, effort))
                return Measured(1_234, worst, "two records of value 1")

            mutant = name.startswith("mutant")
            part = "Mutants" if mutant else "Claims"
            kind = "mutant" if mutant else "claim"
            return Check(part, name, f"the claim of {name}", "a book", measure, kind)

        return tuple(check(*each) for each in worsts)

    return planned


@pytest.fixture
def asked() -> Asked:
    return []


@pytest.fixture
def well(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = checks_of(asked, ("one", 0.5), ("two", 1.0), ("mutant", math.inf))
    monkeypatch.setattr(report, "list_checks", planned)


@pytest.mark.usefixtures("well")
def test_a_table_for_people(understudy: Callable[..., Any]) -> None:
    ended = understudy("audit")
    assert ended.status == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert ["one", "1,234", "0.5000", "holds"] in lines
    assert ["two", "1,234", "1.0000", "holds"] in lines
    assert ["mutant", "1,234", "∞", "caught"] in lines
    assert [line for line in ended.out.splitlines() if line in ("Claims", "Mutants")] == [
        "Claims",
        "Mutants",
    ]
    assert "the claim of one (a book)" in ended.out
    assert "All is well: 3 checks, 3,702 cases." in ended.out


@pytest.mark.usefixtures("well")
def test_figures_for_programs(understudy: Callable[..., Any]) -> None:
    ended = understudy("audit", "--json", "--seed", 7)
    assert ended.status == 0
    figures = ended.json
    assert figures["passed"] is True
    assert (figures["seed"], figures["tolerance"], figures["cases"]) == (7, 1e-13, 3_702)
    assert figures["checks"][0] == {
        "part": "Claims",
        "name": "one",
        "kind": "claim",
        "claim": "the claim of one",
        "source": "a book",
        "cases": 1_234,
        "worst": 0.5,
        "worst_case": "two records of value 1",
        "verdict": "holds",
        "passed": True,
    }
    assert figures["checks"][2]["worst"] is None


@pytest.mark.parametrize(
    ("name", "worst", "verdict"), [("one", 1.01, "BROKEN"), ("mutant", 1.01, "NOT CAUGHT")]
)
def test_the_status_says_that_something_failed(
    understudy: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    asked: Asked,
    name: str,
    worst: float,
    verdict: str,
) -> None:
    monkeypatch.setattr(report, "list_checks", checks_of(asked, ("fine", 0.1), (name, worst)))
    ended = understudy("audit")
    assert ended.status == 1
    assert f"1.0100  {verdict}" in ended.out
    assert "at two records of value 1" in ended.out
    assert f"1 of 2 checks failed: {'Claims' if name == 'one' else 'Mutants'}: {name}." in ended.out
    assert "All is well" not in ended.out
    assert ended.err == ""
    as_json = understudy("audit", "--json")
    assert (as_json.status, as_json.json["passed"]) == (1, False)


@pytest.mark.usefixtures("well")
def test_how_much_is_tried_and_whether_the_sampler_runs(
    understudy: Callable[..., Any], asked: Asked
) -> None:
    understudy("audit")
    understudy("audit", "--thorough", "--seed", 3)
    understudy("audit", "--statistical")
    plain, thorough, statistical = asked[0], asked[3], asked[6]
    assert plain == (None, Effort(1, 1))
    assert thorough == (None, Effort(10, 3))
    assert statistical[0] is not None
    assert not statistical[0].seeded


def test_real_checks_through_the_command(
    understudy: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = [each for each in report.list_checks() if each.part == "Composition"]
    monkeypatch.setattr(report, "list_checks", lambda _: tuple(real))
    figures = understudy("audit", "--json").json
    assert figures["passed"]
    assert {row["name"] for row in figures["checks"]} >= {"the sum", "optimal composition"}


def test_misuse_is_a_sentence(understudy: Callable[..., Any]) -> None:
    assert "“many” is not a whole number" in understudy("audit", "--seed", "many").refusal
