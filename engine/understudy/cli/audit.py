"""`understudy audit`: every claim held against exact laws, and mutants that must be caught."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.options import Json
from understudy.cli.output import (
    echo,
    print_json,
    print_wrapped,
)
from understudy.cli.verb import whole_option

if TYPE_CHECKING:
    from understudy.assurance.check import Check, CheckFinding

_THOROUGH = 10
_FAILED = 1


def audit(
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help=f"Try {_THOROUGH} times as many random tables and models: minutes, not seconds.",
        ),
    ] = False,
    statistical: Annotated[
        bool,
        typer.Option(
            "--statistical",
            help="Also run the real sampler on neighbouring tables, with real randomness, and "
            "bound its ε from below. A sound sampler fails this with probability at most one in "
            "a million.",
        ),
    ] = False,
    seed: Annotated[
        int,
        whole_option(
            "seed",
            "NUMBER",
            "Where the random tables and models start: another number tries others (default 1).",
        ),
    ] = 1,
    as_json: Json = False,
) -> None:
    """Check the guarantee against the exact laws of tiny universes. Reads no data.

    Ends with status 1 where a claim is broken, or a mutant is not caught.
    """
    from understudy.assurance.check import Effort
    from understudy.assurance.report import findings, findings_as_data, list_checks
    from understudy.privacy.randomness import RandomSource

    planned = list_checks(RandomSource.secure() if statistical else None)
    effort = Effort(_THOROUGH if thorough else 1, seed)
    found: list[CheckFinding] = []
    if not as_json:
        _print_legend()
    for each in findings(planned, effort):
        if not as_json:
            _print_finding(each, found[-1].check.part if found else None, planned)
        found.append(each)
    if as_json:
        print_json(findings_as_data(found, effort))
    else:
        _print_sum(found)
    if not all(each.passed for each in found):
        raise typer.Exit(_FAILED)


def _print_legend() -> None:
    from understudy.assurance.check import MARGIN, TOLERANCE

    print_wrapped(
        "“Worst” is the largest divergence found between neighbouring tables, as a multiple of "
        "what is claimed: above 1 a claim is false, at 1 it is attained. Probabilities are exact "
        f"except for a relative {TOLERANCE:g}. A mutant is the mechanism broken on purpose; it is "
        f"caught at {MARGIN:g} or more."
    )


def _print_finding(finding: CheckFinding, part: str | None, planned: tuple[Check, ...]) -> None:
    check, measured = finding.check, finding.measured
    width = max(len(each.name) for each in planned)
    if check.part != part:
        echo(f"\n{check.part}")
        echo(f"  {'':{width}}  {'cases':>9}  {'worst':>9}")
    echo(
        f"  {check.name:{width}}  {measured.cases:>9,}  {_multiple(measured.worst):>9}  "
        f"{finding.verdict if finding.passed else finding.verdict.upper()}"
    )
    source = "" if check.kind == "mutant" else f" ({check.source})"
    print_wrapped(f"{check.claim}{source}", indent="      ")
    if not finding.passed and measured.at:
        print_wrapped(f"at {measured.at}", indent="      ")


def _print_sum(found: list[CheckFinding]) -> None:
    failed = [f"{each.check.part}: {each.check.name}" for each in found if not each.passed]
    cases = sum(each.measured.cases for each in found)
    echo()
    if failed:
        print_wrapped(f"{len(failed)} of {len(found)} checks failed: {'; '.join(failed)}.")
        return
    print_wrapped(
        f"All is well: {len(found)} checks, {cases:,} cases. Every claim held, and every mutant "
        "was caught."
    )


def _multiple(worst: float) -> str:
    """Return a multiple of a claim, so that 1.0000 is at most one part in 10^12 above 1."""
    if worst == float("inf"):
        return "∞"
    return f"{worst:.4f}" if worst < 10_000 else f"{worst:.1e}"
