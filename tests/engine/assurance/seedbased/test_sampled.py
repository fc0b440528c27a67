"""A universe of two people and one bit, every sample written out: between populations the amplified
figure holds and is attained; between tables it is exceeded, and the plain one is attained."""

from __future__ import annotations

import math
from itertools import product

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.seedbased import parts
from understudy.privacy.accounting.composition import amplified_by_sampling
from understudy.privacy.budget import Budget

Law = dict[tuple[bool, ...], float]

CASES = list(product((0.3, 1.0, 2.0), (0.01, 0.1, 0.5, 1.0)))
PEOPLE = ("Ann", "Ben")


def told(table: frozenset[str], epsilon: float) -> Law:
    """Randomised response of whether each of the two is in the table."""
    right = 1 / (1 + math.exp(-epsilon))
    law: Law = {}
    for answer in product((False, True), repeat=len(PEOPLE)):
        law[answer] = math.prod(
            right if said == (person in table) else 1 - right
            for person, said in zip(PEOPLE, answer, strict=True)
        )
    return law


def drawn(population: frozenset[str], chance: float, epsilon: float) -> Law:
    """The law of the answers where each member got into the table by a coin of their own."""
    law: Law = {}
    for taken in product((False, True), repeat=len(population)):
        table = frozenset(person for person, each in zip(population, taken, strict=True) if each)
        weight = math.prod(chance if each else 1 - chance for each in taken)
        for answer, likely in told(table, epsilon).items():
            law[answer] = law.get(answer, 0.0) + weight * likely
    return law


def apart(one: Law, other: Law) -> float:
    """The largest loss, in either direction."""
    return max(abs(math.log(one[answer] / other[answer])) for answer in one)


@pytest.mark.parametrize(("epsilon", "chance"), CASES)
@pytest.mark.parametrize("others", [frozenset(), frozenset({"Ben"})])
def test_between_populations_the_amplified_figure_is_attained(
    epsilon: float, chance: float, others: frozenset[str]
) -> None:
    found = apart(drawn(others, chance, epsilon), drawn(others | {"Ann"}, chance, epsilon))
    assert found == pytest.approx(amplified_by_sampling(Budget(epsilon), chance).epsilon, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "chance"), CASES)
@pytest.mark.parametrize("others", [frozenset(), frozenset({"Ben"})])
def test_between_tables_it_is_exceeded_and_the_plain_one_attained(
    epsilon: float, chance: float, others: frozenset[str]
) -> None:
    found = apart(told(others, epsilon), told(others | {"Ann"}, epsilon))
    assert found == pytest.approx(epsilon, rel=1e-9)
    if chance < 1:
        assert found > amplified_by_sampling(Budget(epsilon), chance).epsilon * 1.1


def test_the_audit_has_both_and_catches_one_in_the_place_of_the_other() -> None:
    found = {each.name: each.find(Effort(0.3)).verdict for each in parts.list_checks()}
    assert found["a secret sample, between populations"] == "holds"
    assert found["a secret sample, between tables"] == "holds"
    mutant = Check("", "", "", "", parts.amplified_for_tables, "mutant")
    assert mutant.find(Effort(0.3)).verdict == "caught"
