"""Every benchmark still runs, at its smallest size, to the table and the figures it prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from inspect import signature
from itertools import groupby
from typing import Any

import pytest

from benchmarks.__main__ import BENCHES, bench, main
from benchmarks.size import Size, measured

_RULE = set("|:-")
_DEAR = (
    "cluster", "page", "release", "soak", "bombs", "streamed", "models", "sweep", "core", "traces",
    "traces-curve", "traces-attack", "latent", "latent-models",
    "sources", "imputation", "utility", "wide-page", "wide", "growth", "accounting",
    "excess", "evaluation", "levels",
)  # fmt: skip
"""Those that take more than some seconds at their smallest size."""


def numbers(figures: Any) -> Iterator[float]:
    """All of them, wherever they stand; true and false are none."""
    if isinstance(figures, dict | list):
        for each in figures.values() if isinstance(figures, dict) else figures:
            yield from numbers(each)
    elif isinstance(figures, int | float) and not isinstance(figures, bool):
        yield figures


def misshapen(text: str) -> list[str]:
    """The rows of its Markdown tables that have other columns than their head, and heads without
    a rule or a row."""
    wrong = []
    for among, lines in groupby(text.splitlines(), lambda line: line.startswith("|")):
        head, *rest = lines
        if not among:
            continue
        if len(rest) < 2 or set(rest[0]) != _RULE:
            wrong.append(head)
        columns = head.count("|")
        wrong += [line for line in rest if line.count("|") != columns or not line.endswith("|")]
    return wrong


@pytest.mark.parametrize("name", BENCHES)
def test_it_can_be_asked_for(name: str) -> None:
    """It is loaded, with all that it takes from the engine, and knows its sizes."""
    asked, shown = signature(bench(name).measure), signature(bench(name).table)
    assert set(asked.parameters) in ({"size"}, {"quick"})
    assert len(shown.parameters) == 1


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough("test_it_can_be_asked_for"))
        if name in _DEAR
        else name
        for name in BENCHES
    ],
)
def test_it_runs(name: str) -> None:
    module = bench(name)
    figures = measured(module.measure, "tiny")
    # No NaN, nothing infinite, and no number that only NumPy knows.
    kept = json.loads(json.dumps(figures, allow_nan=False))
    assert list(numbers(kept))
    said = module.table(figures)
    assert misshapen(said) == []
    assert any(each.isdigit() for each in said)
    assert not {"nan", "inf", "None"} & set(said.replace("|", " ").split())


def test_a_misshapen_table_is_seen() -> None:
    whole = "| a | b |\n|---|---:|\n| 1 | 2 |"
    assert misshapen(f"Words.\n\n{whole}\n\nWords.") == []
    assert misshapen(f"{whole}\n| 1 |") == ["| 1 |"]
    assert misshapen(f"{whole}\n| 1 | 2") == ["| 1 | 2"]
    assert misshapen("| a | b |\n|---|---:|") == ["| a | b |"]
    assert misshapen("| a |\n| 1 |\n| 2 |") == ["| a |"]


def test_by_command_its_figures_are_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accounting", "--tiny", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert set(figures["totals"]) == {"1", "10", "100"}
    assert main(["accounting", "--tiny"]) == 0
    assert "| count | sequential |" in capsys.readouterr().out


@pytest.mark.parametrize("size", ["full", "quick", "tiny"])
def test_a_benchmark_that_knows_two_sizes_takes_the_nearer(size: Size) -> None:
    def two(*, quick: bool = False) -> dict[str, Any]:
        return {"quick": quick}

    def three(*, size: Size = "full") -> dict[str, Any]:
        return {"size": size}

    assert measured(two, size) == {"quick": size != "full"}
    assert measured(three, size) == {"size": size}


def test_it_is_of_one_size(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["accounting", "--tiny", "--quick"])
    assert "not allowed with" in capsys.readouterr().err
