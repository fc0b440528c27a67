"""`understudy account`: what a test guarantees for so many attempts, before anything is run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from understudy.cli.options import Json, option
from understudy.cli.output import (
    describe_budget,
    echo,
    print_aligned,
    print_json,
    print_wrapped,
)
from understudy.cli.verb import one_of_type, whole_type
from understudy.core.numerals import round_up
from understudy.mechanisms.kinds import OrNone
from understudy.mechanisms.seedbased.fields.model_fields import CANDIDATES, TEST
from understudy.mechanisms.seedbased.fields.table import FIELDS

ANY_PROTOCOL = typer.Option(
    "--protocol",
    metavar="PROTOCOL",
    parser=one_of_type("attempts", "releases", "published"),
    rich_help_panel=CANDIDATES.panel,
    help="What a reader may see: attempts, where every attempt counts; releases, where exactly N "
    "records are released and their attempts hidden; or published, where rejections are ignored, "
    "for comparison only (default attempts).",
)
EQUAL_LIKELIHOOD = typer.Option(
    "--equal-likelihood",
    rich_help_panel=TEST.panel,
    help="All seeds that can make a candidate make it equally likely, as they do where ω is fixed "
    "or announced: γ then counts as 1.",
)


def account(
    test: Annotated[str, option(FIELDS["test"])] = "plausible-deniability",
    k: Annotated[int, option(FIELDS["k"])] = 50,
    gamma: Annotated[float | None, option(FIELDS["gamma"])] = None,
    epsilon0: Annotated[OrNone, option(FIELDS["epsilon0"])] = OrNone(1.0),
    t: Annotated[int | None, option(FIELDS["t"])] = None,
    protocol: Annotated[str, ANY_PROTOCOL] = "attempts",
    attempts: Annotated[
        int,
        typer.Option(
            "--attempts",
            metavar="N",
            parser=whole_type,
            help="How many attempts are made, those that release nothing included; with releases "
            "and published, how many records are released (default 1).",
        ),
    ] = 1,
    delta: Annotated[float, option(FIELDS["delta"])] = 1e-9,
    seeds_at_least: Annotated[int | None, option(FIELDS["seeds_at_least"])] = None,
    pass_floor: Annotated[float | None, option(FIELDS["pass_floor"])] = None,
    equal_likelihood: Annotated[bool, EQUAL_LIKELIHOOD] = False,
    records_per_person: Annotated[int, option(FIELDS["records_per_person"])] = 1,
    sampling: Annotated[float | None, option(FIELDS["sampling"])] = None,
    as_json: Json = False,
) -> None:
    """Compute what a number of attempts guarantees. Reads no data."""
    from understudy.privacy.accounting.account_words import as_data
    from understudy.privacy.accounting.accountant import account as compute
    from understudy.privacy.accounting.published_figures import published_record
    from understudy.privacy.plausibility.privacy_test import privacy_test

    tested = privacy_test(test, k, epsilon0.value, gamma)  # type: ignore[arg-type]
    promised = compute(
        tested,
        attempts,
        delta,
        protocol=protocol,  # type: ignore[arg-type]
        t=t,
        seeds_at_least=seeds_at_least,
        pass_floor=pass_floor,
        equal_likelihood=equal_likelihood,
        records_per_person=records_per_person,
        sampling=sampling,
    )
    figures, published = as_data(promised), published_record(tested, delta)
    if published is not None:
        figures["published"] = published.as_dict()
    if as_json:
        print_json(figures)
        return
    print_aligned(rows(figures))
    echo()
    print_wrapped(figures["covers"])


def rows(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Return an account as aligned lines; of several compositions the one that counts is marked."""
    attempt, composition = figures["attempt"], figures["composition"]
    at = "" if attempt["t"] is None else f" (at t = {attempt['t']:,})"
    lines = [("Test", describe_test(figures["test"])), ("One attempt", f"{_words(attempt)}{at}")]
    if "slot" in figures:
        lines.append(("One record", _words(figures["slot"])))
    what = "Attempts" if figures["protocol"] == "attempts" else "Records"
    lines.append((what, f"{figures['attempts']:,}"))
    for name, words in (
        ("sequential", "added up"),
        ("advanced", "advanced"),
        ("optimal", "optimal"),
    ):
        counts = "  *" if name == figures["composed_by"] else ""
        lines.append((f"  {words}", f"{_words(composition[name])}{counts}"))
    if figures.get("records_per_person", 1) > 1:
        lines.append(("One person", f"has up to {figures['records_per_person']:,} records"))
    lines.append(("Total", _words(figures["total"])))
    if "population" in figures:
        lines.append(("Between populations", _words(figures["population"])))
    if figures.get("pass_cap") is not None:
        lines.append(("Pass cap", f"ρ = {round_up(figures['pass_cap'])}"))
    if "published" in figures:
        stated = figures["published"]
        one = f"{_words(stated)} for one released record (at t = {stated['t']:,})"
        lines.append((stated["theorem"], one))
    return lines


def describe_test(test: dict[str, Any]) -> str:
    """Return a test and its parameters."""
    noise = "no noise" if test["epsilon0"] is None else f"ε0 = {test['epsilon0']:g}"
    gamma = f"γ = {test['gamma']:g}, " if "gamma" in test else ""
    return f"{test['name'].replace('-', ' ')}, k = {test['k']:,}, {gamma}{noise}"


def _words(budget: dict[str, Any]) -> str:
    return describe_budget(budget["epsilon"], budget["delta"])
