"""`understudy account`: what a test guarantees for so many attempts, before anything is run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from engine.cli.output import guarantee, print_aligned, print_json, print_wrapped
from engine.cli.settings import (
    DELTA,
    EPSILON0,
    GAMMA,
    SAMPLING,
    SEEDS_AT_LEAST,
    Json,
    K,
    T,
)
from engine.cli.verb import Noise, one_of, whole
from engine.privacy.rounding import upwards


def account(
    test: Annotated[
        str,
        typer.Option(
            "--test",
            metavar="TEST",
            parser=one_of("plausible-deniability"),
            show_default=False,
            help="The privacy test: plausible-deniability.",
        ),
    ] = "plausible-deniability",
    k: Annotated[int, K] = 50,
    gamma: Annotated[float, GAMMA] = 4.0,
    epsilon0: Annotated[Noise, EPSILON0] = Noise(1.0),
    t: Annotated[int | None, T] = None,
    attempts: Annotated[
        int,
        typer.Option(
            "--attempts",
            metavar="N",
            show_default=False,
            parser=whole,
            help="How many attempts are made, those that release nothing included (default 1).",
        ),
    ] = 1,
    delta: Annotated[float, DELTA] = 1e-9,
    seeds_at_least: Annotated[int | None, SEEDS_AT_LEAST] = None,
    equal_likelihood: Annotated[
        bool,
        typer.Option(
            "--equal-likelihood",
            help="All seeds that can make a candidate make it equally likely, as they do where ω "
            "is fixed or announced: γ then counts as 1.",
        ),
    ] = False,
    sampling: Annotated[float | None, SAMPLING] = None,
    as_json: Json = False,
) -> None:
    """Compute what a number of attempts guarantees. Reads no data."""
    from engine.privacy.account import account as compute
    from engine.privacy.deniability import plausible_deniability_test

    figures = compute(
        plausible_deniability_test(k, gamma, epsilon0.value),
        attempts,
        delta,
        t=t,
        seeds_at_least=seeds_at_least,
        equal_likelihood=equal_likelihood,
        sampling=sampling,
    ).as_dict()
    if as_json:
        print_json(figures)
    else:
        _print(figures)


def _print(figures: dict[str, Any]) -> None:
    test, attempt = figures["test"], figures["attempt"]
    noise = "no noise" if test["epsilon0"] is None else f"ε0 = {test['epsilon0']:g}"
    at = "" if attempt["t"] is None else f" (at t = {attempt['t']:,})"
    rows = [
        ("Test", f"plausible deniability, k = {test['k']:,}, γ = {test['gamma']:g}, {noise}"),
        ("One attempt", f"{_words(attempt)}{at}"),
        ("Attempts", f"{figures['attempts']:,}"),
        ("  added up", _words(figures["composition"]["sequential"])),
        ("  advanced", _words(figures["composition"]["advanced"])),
        ("Total", _words(figures["total"])),
    ]
    if figures.get("pass_cap") is not None:
        rows.append(("Pass cap", f"ρ = {upwards(figures['pass_cap'])}"))
    print_aligned(rows)
    typer.echo()
    print_wrapped(figures["covers"])


def _words(budget: dict[str, Any]) -> str:
    return guarantee(budget["epsilon"], budget["delta"])
