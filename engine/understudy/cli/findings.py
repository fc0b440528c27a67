"""What an evaluation found, as lines for people and as JSON for programs. Internal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from understudy.cli.output import (
    echo,
    print_aligned,
    print_wrapped,
)
from understudy.evaluation.findings_in_words import (
    INTERNAL,
    better_in_words,
    is_of_tables,
    number_in_words,
    table_heads,
    value_in_words,
)

if TYPE_CHECKING:
    from understudy.evaluation.evaluation import Evaluation
    from understudy.evaluation.measure import Finding
    from understudy.runs.folder import RunFolder

_NAME_WIDTH = 30


def findings_as_json(run: RunFolder, evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as JSON has it, each measure with what it says of itself."""
    from understudy.evaluation.registry import about
    from understudy.evaluation.relative_score import excess

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
    from understudy.core.numerals import round_up
    from understudy.evaluation.registry import GROUPS, about

    print_wrapped(INTERNAL)
    echo()
    print_aligned(_list_compared(run, evaluation))
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
            print_wrapped(f"The private ones have ε = {round_up(_private_epsilon(run))}.", "  ")
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
    from understudy.evaluation.measure import UNIFORM

    return any(each.name == UNIFORM for each in evaluation.tables)


def _list_compared(run: RunFolder, evaluation: Evaluation) -> list[tuple[str, str]]:
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
    columns, more = table_heads(evaluation), _of_days(evaluation)
    rows = [
        row
        for finding in findings
        if is_of_tables(finding)
        for row in _row(finding, columns, further_off=more)
    ]
    if rows:
        heads = ["", "better", *columns.values(), *(["excess"] if more else [])]
        print_aligned([heads, *rows], indent="  ")


def _row(finding: Finding, columns: Mapping[str, str], *, further_off: bool) -> Iterator[list[str]]:
    from understudy.evaluation.measure import RELEASED
    from understudy.evaluation.registry import about
    from understudy.evaluation.relative_score import excess

    said = about(finding.key)
    first, *others = textwrap.wrap(said.name, _NAME_WIDTH)
    # The first table, what was released, is shown with its interval; the others stay readable.
    values = [
        value_in_words(finding.by_subject.get(name), with_interval=place == 0)
        for place, name in enumerate(columns)
    ]
    if further_off:
        beyond = excess(said, finding).get(RELEASED)
        values.append("–" if beyond is None else number_in_words(beyond))
    yield [first, better_in_words(said), *values]
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
    if is_of_tables(finding):
        for table in evaluation.tables:
            rest.pop(table.name, None)
    if not rest:
        return
    also = ", also" if is_of_tables(finding) else ""
    echo(f"  {said.name}{also} ({better_in_words(said)} is better)")
    print_aligned(
        ([name, value_in_words(each, with_interval=True)] for name, each in rest.items()),
        indent="    ",
    )
