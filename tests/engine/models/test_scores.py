"""The general path on toy models, against both definitions written out record by record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import understudy.models.scores as scoring
from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.models.omega import Omega, Reading
from understudy.models.scores import SeedbasedModel, record_classes, scan_scores
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import RandomSource

BITS = 4
DENIABILITY = PlausibleDeniability(k=5, gamma=2.5, epsilon0=1.0)
RELATIVE = RelativeSensitivity(k=5, epsilon0=1.0)


@dataclass(frozen=True)
class Toy:
    """Strings of `BITS` bits: with this chance of the same weight as the seed (Example 3.2),
    and otherwise any at all (Examples 3.3 and 3.6); the identity keeps the seed (3.1)."""

    same_weight: Fraction = Fraction(0)
    identity: bool = False

    def probability(self, seed: list[int], made: list[int]) -> Fraction:
        if self.identity:
            return Fraction(int(seed == made))
        alike = Fraction(int(sum(seed) == sum(made)), math.comb(BITS, sum(seed)))
        return self.same_weight * alike + (1 - self.same_weight) / 2**BITS

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> np.ndarray:
        def log(seed: list[int], made: list[int]) -> float:
            probability = self.probability(seed, made)
            return math.log(probability) if probability else -math.inf

        return np.array([[log(s, y) for y in candidates.tolist()] for s in seeds.tolist()])


TOYS = {
    "identity": Toy(identity=True),
    "Hamming": Toy(Fraction(1)),
    "uniform": Toy(),
    "mostly Hamming": Toy(Fraction(9, 10)),
    "mostly uniform": Toy(Fraction(1, 7)),
}


def deniability_score(likely: list[Fraction], own: Fraction) -> int:
    gamma = Fraction(DENIABILITY.gamma)

    def interval(each: Fraction) -> int:
        return next(i for i in range(200) if each > gamma ** -(i + 1))

    return sum(each > 0 and interval(each) == interval(own) for each in likely) if own else 0


def relative_score(likely: list[Fraction], own: Fraction) -> Fraction:
    heard = [each for each in likely if each >= own and each > 0]
    ms = [sum((p for p in likely if p <= each), Fraction(0)) / each - 1 for each in heard]
    return max(ms, default=Fraction(0))


def bits(rows: int) -> st.SearchStrategy[list[list[int]]]:
    row = st.lists(st.integers(0, 1), min_size=BITS, max_size=BITS)
    return st.lists(row, min_size=1, max_size=rows)


@pytest.mark.parametrize("toy", TOYS.values(), ids=TOYS)
@given(records=bits(12), made=bits(5), data=st.data())
def test_scores_follow_the_definitions(
    toy: Toy, records: list[list[int]], made: list[list[int]], data: st.DataObject
) -> None:
    own = [data.draw(st.integers(0, len(records) - 1)) for _ in made]
    likely = [[toy.probability(record, each) for record in records] for each in made]
    relative = [relative_score(p, p[seed]) for p, seed in zip(likely, own, strict=True)]
    # Where the score is a whole number, that of the doubles may lie on either side of it; where
    # all that counts is equally likely, it does not.
    for p, score in zip(likely, relative, strict=True):
        assume(score.denominator > 1 or len(set(p) - {0}) == 1 or score == 0)
    arguments = toy, codes(records), np.array(own), codes(made)
    assert scan_scores(RELATIVE, *arguments).tolist() == [math.floor(each) for each in relative]
    assert scan_scores(DENIABILITY, *arguments).tolist() == [
        deniability_score(p, p[seed]) for p, seed in zip(likely, own, strict=True)
    ]


def codes(rows: list[list[int]]) -> CodeArray:
    return np.array(rows, dtype=np.uint16)


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
@pytest.mark.parametrize("entries", [1, 25, 26, 10**6])
def test_blocks_change_nothing_and_stay_small(
    test: PrivacyTest, entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    seeds, made = (rng.integers(0, 2, (rows, BITS)).astype(np.uint16) for rows in (13, 7))
    own = rng.integers(0, 13, 7)
    model: SeedbasedModel = TOYS["mostly Hamming"]
    whole = scan_scores(test, model, seeds, own, made)
    monkeypatch.setattr(scoring, "MOST_ENTRIES", entries)
    blocks = list(record_classes(model, seeds, own, made))
    assert [len(each.sizes) for each in blocks] == {
        1: [1] * 7,
        25: [1] * 7,
        26: [2, 2, 2, 1],
        10**6: [7],
    }[entries]
    assert scan_scores(test, model, seeds, own, made).tolist() == whole.tolist()


def test_no_candidates() -> None:
    none = np.zeros((0, BITS), dtype=np.uint16)
    scored = scan_scores(RELATIVE, Toy(), codes([[0] * BITS]), np.zeros(0, dtype=np.int64), none)
    assert scored.shape == (0,)


@given(
    st.integers(0, 6),
    st.integers(0, 6),
    st.integers(1, 60),
    st.sampled_from(["hidden", "announced"]),
)
def test_the_composed_attempts_are_those_that_look_at_a_seed(
    one: int, other: int, attempts: int, reading: Reading
) -> None:
    omega = Omega(low=min(one, other), high=max(one, other), reading=reading)
    drawn = omega.sequence(0, attempts, RandomSource.fixed(1))
    seedless = (drawn == 6).sum() if omega.per_attempt else 0
    assert omega.seed_attempts(attempts, 6) == attempts - seedless
    assert set(drawn.tolist()) <= set(omega.values)


def test_an_announced_sequence_does_not_depend_on_how_it_is_cut() -> None:
    omega = Omega(low=2, high=4, reading="announced")
    source = RandomSource.fixed(1)
    whole = omega.sequence(0, 10, source)
    parts = np.concatenate([omega.sequence(0, 4, source), omega.sequence(4, 6, source)])
    assert whole.tolist() == parts.tolist() == [2, 3, 4, 2, 3, 4, 2, 3, 4, 2]


def test_a_hidden_sequence_is_fair() -> None:
    drawn = Omega(low=1, high=4).sequence(0, 40_000, RandomSource.fixed(2))
    assert np.abs(np.bincount(drawn, minlength=5)[1:] - 10_000).max() < 500


@pytest.mark.parametrize(("text", "low", "high"), [("9", 9, 9), ("5-11", 5, 11), ("5–11", 5, 11)])
def test_text_is_read(text: str, low: int, high: int) -> None:
    assert Omega.parse(text) == Omega(low=low, high=high)
    assert str(Omega.parse(text)) == text.replace("–", "-")


@pytest.mark.parametrize("text", ["", "x", "11-5", "1-2-3", "-3", "5-", "2.5"])
def test_text_that_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        Omega.parse(text)
    assert refused.value.field == "omega"


def test_more_than_the_attributes_is_refused() -> None:
    with pytest.raises(Refusal, match="12"):
        Omega(low=3, high=12).fits(11)
    Omega(low=3, high=11).fits(11)


def test_a_range_that_runs_backwards_is_refused() -> None:
    with pytest.raises(Refusal, match="backwards"):
        Omega(low=5, high=3)
