"""`understudy plan`, `propose` and `account`: what may be spent, and what a test guarantees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.method import write_plan
from understudy.cli.options import Json, TypedSettings, option
from understudy.cli.output import (
    describe_budget,
    echo,
    keep_finite,
    print_aligned,
    print_json,
    print_wrapped,
)
from understudy.cli.verb import number_type, one_of_type, whole_type
from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.mechanisms.kinds import OrNone
from understudy.mechanisms.seedbased.fields.model_fields import CANDIDATES, TEST
from understudy.mechanisms.seedbased.fields.planner_fields import PURPOSES, WANTED
from understudy.mechanisms.seedbased.fields.table import FIELDS

if TYPE_CHECKING:
    from understudy.mechanisms.seedbased.proposal import Proposal, Wanted
    from understudy.privacy.planning.planner import Answer
    from understudy.privacy.planning.question import Question
    from understudy.table.schema import Schema

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


def plan(
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon",
            metavar="NUMBER",
            parser=number_type,
            help="The total ε that may be spent. Without it the smallest is found, for this k "
            "and N.",
        ),
    ] = None,
    delta: Annotated[float, option(FIELDS["delta"])] = 1e-9,
    attempts: Annotated[
        int | None,
        typer.Option(
            "--attempts",
            metavar="N",
            parser=whole_type,
            help="How many attempts are made; with releases and published, how many records are "
            "released. Without it the most are found, for this k and ε.",
        ),
    ] = None,
    k: Annotated[int | None, option(FIELDS["k"])] = None,
    test: Annotated[str, option(FIELDS["test"])] = "relative-sensitivity",
    gamma: Annotated[float | None, option(FIELDS["gamma"])] = None,
    protocol: Annotated[str, ANY_PROTOCOL] = "attempts",
    seeds_at_least: Annotated[int | None, option(FIELDS["seeds_at_least"])] = None,
    pass_floor: Annotated[float | None, option(FIELDS["pass_floor"])] = None,
    equal_likelihood: Annotated[bool, EQUAL_LIKELIHOOD] = False,
    as_json: Json = False,
) -> None:
    """Find the test for what may be spent: the smallest k, the smallest ε or the most attempts.

    Reads no data.
    """
    from understudy.privacy.planning.question import Question
    from understudy.privacy.plausibility.privacy_test import USUAL_GAMMA, privacy_test

    # Refused here, as the question has a γ for either test.
    privacy_test(test, 2, 1.0, gamma)  # type: ignore[arg-type]
    question = Question(
        epsilon=1.0 if epsilon is None else epsilon,
        delta=delta,
        count=1 if attempts is None else attempts,
        kind=test,  # type: ignore[arg-type]
        gamma=USUAL_GAMMA if gamma is None else gamma,
        protocol=protocol,  # type: ignore[arg-type]
        seeds_at_least=seeds_at_least,
        pass_floor=pass_floor,
        equal_likelihood=equal_likelihood,
    )
    answer = _answer_question(question, k, epsilon, attempts)
    if as_json:
        print_json(answer.as_dict())
    else:
        _print(answer)


def _answer_question(
    question: Question, k: int | None, epsilon: float | None, attempts: int | None
) -> Answer:
    """Return the answer to whichever of the three is left open.

    Raises:
        Refusal: too little is known, or nothing fits.
    """
    from understudy.privacy.planning.planner import most_units, smallest_epsilon, smallest_k

    if k is None:
        for name, value in (("epsilon", epsilon), ("attempts", attempts)):
            if value is None:
                raise Refusal(
                    "To find the smallest k, the total ε and the number of attempts must be known.",
                    "Give both, or give --k and one of them.",
                    field=name,
                )
        return smallest_k(question)
    if attempts is None:
        if epsilon is None:
            raise Refusal(
                "With k alone there is nothing to aim at.",
                "Give --epsilon to find the most attempts, or --attempts to find the smallest ε.",
                field="k",
            )
        return most_units(question, k)
    answer = smallest_epsilon(question, k)
    if epsilon is not None and answer.total.epsilon > epsilon:
        raise Refusal(
            f"With k = {k:,}, {question.counted} come to ε = {round_up(answer.total.epsilon)} at "
            "the least.",
            "Leave --k out to find the k that is enough, or --attempts to find how many fit.",
            field="epsilon",
        )
    return answer


def _print(answer: Answer) -> None:
    rule = answer.published_rule_k
    print_aligned(
        [
            ("k", f"{answer.k:,}"),
            ("ε0", f"{answer.epsilon0:g}"),
            ("t", f"{answer.t:,}"),
            ("By the rule k = 2t", "out of range" if rule is None else f"k = {rule:,}"),
        ]
    )
    echo()
    told = answer.as_dict()
    published = {"published": told["published"]} if "published" in told else {}
    print_aligned(rows({**told["account"], **published}))
    echo()
    for sentence in answer.explanation:
        print_wrapped(sentence)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What was typed besides what is wanted."""

    schema: Annotated[
        Path,
        typer.Option("--schema", metavar="FILE", help="The schema of the table."),
    ]
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="FILE", help="Write the proposed plan to a file."),
    ] = None
    as_json: Json = False


_MOST_LEFT = 10


def propose(asked: _Asked, settings: Annotated[TypedSettings, WANTED]) -> None:
    """Propose a plan, and predict how near its records will come, before anything is spent.

    Reads no data.
    """
    from understudy.mechanisms.seedbased.plan_from_options import wanted_of
    from understudy.table.schema import Schema

    given = settings.of(WANTED)
    purpose = given.pop("purpose", "table")
    schema = Schema.load(asked.schema)
    wanted = wanted_of(given, schema)
    found = {name: _propose_for(name, schema, wanted) for name in PURPOSES}
    proposed = found[purpose]
    if isinstance(proposed, Refusal):
        raise proposed
    if asked.save_plan is not None:
        write_plan(proposed.plan, asked.save_plan)
    if asked.as_json:
        print_json(
            {"purpose": purpose} | {name: _as_dict(each, schema) for name, each in found.items()}
        )
        return
    for name, each in found.items():
        echo(PURPOSES[name] + (" (proposed)" if name == purpose else ""))
        _print_proposal(each, schema)
        echo()
    _print_predicted(proposed, schema)


def _propose_for(purpose: str, schema: Schema, wanted: Wanted) -> Proposal | Refusal:
    """Return the plan for one purpose, or why there is none."""
    from understudy.mechanisms.seedbased.proposal import alike, whole_table

    try:
        return whole_table(schema, wanted) if purpose == "table" else alike(schema, wanted)
    except Refusal as refusal:
        return refusal


def _as_dict(found: Proposal | Refusal, schema: Schema) -> dict[str, Any]:
    from understudy.mechanisms.seedbased.marks import foreseen_of_marks
    from understudy.mechanisms.seedbased.proposal import why

    if isinstance(found, Refusal):
        return {"refused": found.problem, "remedy": found.remedy}
    foreseen = found.predicted
    total = found.made.total
    told: dict[str, Any] = {
        "plan": found.plan.as_dict(),
        "total": {"epsilon": total.epsilon, "delta": total.delta},
        "why": list(why(found, schema)),
        "seconds": found.seconds,
        "unrelated": [],
        "marked": [],
        "hardly_related": [],
        "predicted": None,
    }
    if foreseen is not None:
        told["unrelated"] = [schema.names[place] for place in foreseen.unrelated]
        told["hardly_related"] = [schema.names[place] for place in foreseen.hardly_related]
        if foreseen.levels:
            told["counted_at"] = {
                schema.names[place]: schema.columns[place].name_level(level)
                for place, level in foreseen.levels.items()
            }
        told["marked"] = [
            {"columns": list(each.names), "distance": each.apart, "possible": each.possible}
            for each in foreseen_of_marks(foreseen, found.plan.marks, schema)
        ]
        columns = dict(zip(schema.names, foreseen.each_column.tolist(), strict=True))
        told["predicted"] = {
            "typical_column_at_most": foreseen.column_at_most,
            "typical_pair_at_most": foreseen.pair_at_most,
            "pairs_counted": foreseen.counted,
            "columns": columns,
            "pairs": [
                {"columns": [schema.names[one], schema.names[other]], "distance": apart}
                for (one, other), apart in foreseen.by_pair()
            ],
        }
    return dict(keep_finite(told))


def _print_proposal(found: Proposal | Refusal, schema: Schema) -> None:
    from understudy.core.numerals import describe_roughly
    from understudy.mechanisms.seedbased.foresight import levels_in_words, unrelated_columns
    from understudy.mechanisms.seedbased.marks import sentences
    from understudy.mechanisms.seedbased.proposal import why

    if isinstance(found, Refusal):
        print_wrapped(f"{found.problem} {found.remedy}", "  ")
        return
    plan, total = found.plan, found.made.total
    lines = [("Total", describe_budget(total.epsilon, total.delta)), ("Model", plan.model.kind)]
    if found.answer is not None:
        lines.append(("Test", f"k = {plan.test.k:,}, {plan.attempts:,} attempts"))
    else:
        lines.append(("Records", f"{plan.attempts:,}"))
    if found.seconds is not None:
        lines.append(("Time", f"about {describe_roughly(found.seconds)}"))
    print_aligned(lines, "  ")
    for sentence in why(found, schema):
        print_wrapped(sentence, "  ")
    if found.predicted is not None:
        lost = unrelated_columns(found.predicted, plan, schema)
        for sentence in filter(None, (lost, levels_in_words(found.predicted, schema))):
            print_wrapped(sentence, "  ")
        marked = list(sentences(found.predicted, plan, schema))
        if marked:
            echo("  What must survive")
        for sentence in marked:
            print_wrapped(sentence, "    ")


def _print_predicted(found: Proposal, schema: Schema) -> None:
    """Return each column and pair, the farthest first."""
    from understudy.mechanisms.seedbased.foresight import left_out, round_per_cent

    foreseen = found.predicted
    if foreseen is None:
        return
    echo("Expected distance by noise and chance, of each")
    columns = sorted(
        zip(schema.names, foreseen.each_column.tolist(), strict=True), key=lambda each: -each[1]
    )
    print_aligned([(name, round_per_cent(apart)) for name, apart in columns], "  ")
    counted = [each for each in foreseen.by_pair() if math.isfinite(each[1])]
    print_aligned(
        [
            (f"{schema.names[one]} × {schema.names[other]}", round_per_cent(apart))
            for (one, other), apart in sorted(counted, key=lambda each: -each[1])
        ],
        "  ",
    )
    left = len(foreseen.each_pair) - foreseen.counted
    if left:
        print_wrapped(f"{left:,} further pairs are left to the rest of the model.", "  ")
    for each in left_out(foreseen)[:_MOST_LEFT]:
        print_wrapped(f"Not counted together: {each.describe(schema)}.", "  ")
