"""What an evaluation found, as lines for people and as JSON for programs. Internal."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from understudy.cli.output import (
    echo,
    print_aligned,
    print_wrapped,
)

if TYPE_CHECKING:
    from understudy.evaluation.evaluation import Evaluation
    from understudy.evaluation.finding import Finding, Interval, Measured
    from understudy.evaluation.measure import About
    from understudy.runs.folder import RunFolder

INTERNAL = (
    "INTERNAL. Computed from confidential records without noise: for your own eyes, not for "
    "release."
)
_NAME_WIDTH = 30


def as_json(run: RunFolder, evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as JSON has it, each measure with what it says of itself."""
    from understudy.evaluation.registry import about
    from understudy.evaluation.standing import excess

    return {
        "internal": INTERNAL,
        "run": run.identity,
        "target": evaluation.target,
        "held_out": evaluation.held_out,
        "private_epsilon": _private_epsilon(run),
        "tables": [asdict(each) for each in evaluation.tables],
        "others": [asdict(each) for each in evaluation.others],
        "remarks": list(evaluation.remarks),
        "measures": [
            {
                **asdict(about(each.key)),
                **asdict(each),
                "excess": dict(excess(about(each.key), each)),
            }
            for each in evaluation.findings
        ],
    }


def _private_epsilon(run: RunFolder) -> float:
    """Return the ε of the private methods that a run is compared with."""
    from understudy.runs.evidence import read_planned_run

    made = read_planned_run(run)
    return made.mechanism.comparable_epsilon(made)


def print_findings(run: RunFolder, evaluation: Evaluation) -> None:
    """Print an evaluation, group by group."""
    from understudy.core.rounding import upwards
    from understudy.evaluation.registry import GROUPS, about

    print_wrapped(INTERNAL)
    echo()
    print_aligned(_compared(run, evaluation))
    echo()
    print_wrapped(_OF_DAYS if _of_days(evaluation) else _OF_RECORDS)
    for group, heading in GROUPS.items():
        findings = [each for each in evaluation.findings if about(each.key).group == group]
        if not findings:
            continue
        echo(f"\n{heading}")
        _print_tables(evaluation, findings)
        for each in findings:
            _print_rest(evaluation, each)
        if group == "linear":
            print_wrapped(f"The private ones have ε = {upwards(_private_epsilon(run))}.", "  ")
    for remark in evaluation.remarks:
        echo()
        print_wrapped(remark)


_OF_RECORDS = (
    "“Real” is what other real records of the same number score, the best there can be; "
    "“marginals” ignore all relations between columns, the worst that is acceptable. "
    "“Better” says which way is better, brackets hold 95 % intervals. Tables named by their ω "
    "are made for comparison only."
)
_OF_DAYS = (
    "“Real” is what other real people, as many of them, score, the best there can be; “uniform” "
    "are days of people who know nothing but the map, the worst that is acceptable. “Excess” is "
    "how much further off the release is than other real people. “Better” says which way is "
    "better, brackets hold 95 % intervals."
)


def _of_days(evaluation: Evaluation) -> bool:
    """Return whether people's days were measured, and not records."""
    from understudy.evaluation.study import UNIFORM

    return any(each.name == UNIFORM for each in evaluation.tables)


def _compared(run: RunFolder, evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return what was compared with what."""
    what = "people" if _of_days(evaluation) else "records"
    lines = [
        ("Run", run.identity),
        ("Compared", f"{evaluation.tables[0].records:,} {what} of each table"),
        ("With", f"{evaluation.held_out:,} held-out {what} that nothing was made from"),
    ]
    return [*lines, ("Predicted", evaluation.target)] if evaluation.target else lines


def _print_tables(evaluation: Evaluation, findings: Sequence[Finding]) -> None:
    """One line a measure, one column a table, for what is measured of tables; of days, also how
    much further off the release is than other real people."""
    columns, more = _columns(evaluation), _of_days(evaluation)
    rows = [
        row
        for finding in findings
        if _of_tables(finding)
        for row in _row(finding, columns, further_off=more)
    ]
    if rows:
        heads = ["", "better", *columns.values(), *(["excess"] if more else [])]
        print_aligned([heads, *rows], indent="  ")


def _of_tables(finding: Finding) -> bool:
    """Return whether it is about tables. The marginals are a model too, so they alone do not
    tell."""
    from understudy.evaluation.study import BEST, CANDIDATES, RELEASED

    return any(name in finding.by_subject for name in (*BEST, RELEASED, CANDIDATES))


def _columns(evaluation: Evaluation) -> dict[str, str]:
    """Return the tables that get a column, by their names, as they are headed."""
    from understudy.evaluation.study import MARGINALS, PEOPLE, REALS, RELEASED, UNIFORM

    there = [each.name for each in evaluation.tables]
    first = {
        RELEASED: "released",
        REALS: "real",
        PEOPLE: "real",
        MARGINALS: "marginals",
        UNIFORM: "uniform",
    }
    columns = {name: heading for name, heading in first.items() if name in there}
    made = [each.name for each in evaluation.tables if each.role == "synthetic"]
    return columns | {name: name.replace(" = ", "=") for name in made}


def _row(finding: Finding, columns: Mapping[str, str], *, further_off: bool) -> Iterator[list[str]]:
    from understudy.evaluation.registry import about
    from understudy.evaluation.standing import excess
    from understudy.evaluation.study import RELEASED

    said = about(finding.key)
    first, *others = textwrap.wrap(said.name, _NAME_WIDTH)
    # The first table, what was released, is shown with its interval; the others stay readable.
    values = [
        _value(finding.by_subject.get(name), with_interval=place == 0)
        for place, name in enumerate(columns)
    ]
    if further_off:
        beyond = excess(said, finding).get(RELEASED)
        values.append("–" if beyond is None else _number(beyond))
    yield [first, _better(said), *values]
    for line in others:
        yield [f"  {line}"]


def _print_rest(evaluation: Evaluation, finding: Finding) -> None:
    """What a measure found of models and methods, or why it found nothing."""
    from understudy.evaluation.registry import about

    said = about(finding.key)
    if finding.trouble:
        print_wrapped(f"{said.name}: not measured. {finding.trouble}", indent="  ")
        return
    rest = dict(finding.by_subject)
    if _of_tables(finding):
        for table in evaluation.tables:
            rest.pop(table.name, None)
    if not rest:
        return
    also = ", also" if _of_tables(finding) else ""
    echo(f"  {said.name}{also} ({_better(said)} is better)")
    print_aligned(
        ([name, _value(each, with_interval=True)] for name, each in rest.items()), indent="    "
    )


def _better(said: About) -> str:
    """Return which way is better."""
    inside = said.ideal is not None and said.low < said.ideal < said.high
    return f"near {said.ideal:g}" if inside else said.better


def _value(measured: Measured | None, *, with_interval: bool) -> str:
    if measured is None:
        return "–"
    interval = _spelled(measured.interval) if with_interval else ""
    return f"{_number(measured.value)}{interval}"


def _spelled(interval: Interval | None) -> str:
    return "" if interval is None else f" ({_number(interval.low)} to {_number(interval.high)})"


def _number(value: float) -> str:
    """Return three decimals, or as many digits as are worth reading."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "–"
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")
