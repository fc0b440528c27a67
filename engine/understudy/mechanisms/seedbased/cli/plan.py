"""`understudy plan`: from what may be spent to the parameters of the test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.options import Json, option
from understudy.cli.output import (
    echo,
    print_aligned,
    print_json,
    print_wrapped,
)
from understudy.cli.verb import number_type, whole_type
from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.cli.account import ANY_PROTOCOL, EQUAL_LIKELIHOOD, rows
from understudy.mechanisms.seedbased.fields.table import FIELDS

if TYPE_CHECKING:
    from understudy.privacy.planning.planner import Answer
    from understudy.privacy.planning.question import Question


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
