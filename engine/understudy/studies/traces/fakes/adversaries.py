"""Who sees through fakes: a location service that receives a user's location among fake ones, and
how well the published fakes hide the user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.profiles import Aggregate, aggregate
from understudy.studies.traces.fakes.synthesizer import Model, fakes, learn_days
from understudy.table.positions.slots import SLOTS

Adversary = Literal["naive", "contrarian", "ratio", "weighted", "guessing"]

ADVERSARIES: Final[tuple[Adversary, ...]] = (
    "naive", "contrarian", "ratio", "weighted", "guessing",
)  # fmt: skip
_ASKS: Final = 0.5


@dataclass(frozen=True)
class Privacy:
    """How well fakes hide a user's day from one adversary.

    Attributes:
        adversary: who guesses.
        fakes: how many fakes there are beside the user.
        missed: the share of queries whose place is missed, of the median user.
        low, high: the same of the users at the lower and the upper quartile.
    """

    adversary: Adversary
    fakes: int
    missed: float
    low: float
    high: float


def privacy_by_fakes(
    true: IntArray,
    fakes: IntArray,
    known: Aggregate,
    of_fakes: Aggregate,
    numbers: Sequence[int],
    source: RandomSource,
    repeats: int = 5,
) -> tuple[Privacy, ...]:
    """Privacy of true traces against the number of fakes, for each adversary.

    Args:
        true: (users, 72) the location of each user in each slot.
        fakes: (users, most, 72) fakes of each, of which every repeat takes some by chance.
        known: how people move.
        of_fakes: how fakes move, from other fakes made alike.
        numbers: how many fakes to send; none more than `most`.
        source: which slots are queried, and which fakes are taken.
        repeats: how often this is done; a user's figure is the mean.
    """
    users, most, _ = fakes.shape
    asks = [[draw_queries(users, source) for _ in range(repeats)] for _ in numbers]
    longest = max(longest_gap(each) for several in asks for each in several)
    knows = knowledge(known, of_fakes, longest)
    found = []
    for number, several in zip(numbers, asks, strict=True):
        means: dict[Adversary, FloatArray] = {name: np.zeros(users) for name in ADVERSARIES}
        for each in several:
            order = np.argsort(source.uniforms(users * most).reshape(users, most), axis=1)
            some = np.take_along_axis(fakes, order[:, :number, None], axis=1)
            sent = np.concatenate([true[:, None], some], axis=1)
            for name, lost in measure_misses(sent, each, knows).items():
                means[name] += lost / repeats
        for name, lost in means.items():
            low, middle, high = np.percentile(lost, (25, 50, 75))
            found.append(Privacy(name, number, float(middle), float(low), float(high)))
    return tuple(found)


def draw_queries(users: int, source: RandomSource) -> BoolArray:
    """Return (users, 72) in which slots each asks the service; in one at least."""
    coins = source.uniforms(users * SLOTS).reshape(users, SLOTS)
    found = coins < _ASKS
    found[np.arange(users), coins.argmin(axis=1)] = True
    return found


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What adversaries know.

    Attributes:
        known: how people move.
        steps: (gaps, locations, locations) chances of steps of people over so many slots.
        shares_ratio: (locations,) how much likelier people are in each than fakes.
        steps_ratio: (gaps, locations, locations) how much likelier each step is of people.
    """

    known: Aggregate
    steps: FloatArray
    shares_ratio: FloatArray
    steps_ratio: FloatArray


def knowledge(known: Aggregate, of_fakes: Aggregate, longest: int) -> Knowledge:
    """Return what adversaries know of steps over up to so many slots.

    Args:
        known: how people move.
        of_fakes: how fakes move.
        longest: the most slots between two queries.
    """
    steps, made = powers(known.chances, longest), powers(of_fakes.chances, longest)
    # Where fakes never are, the ratio is large and finite.
    shares = known.shares / np.maximum(of_fakes.shares, 1e-6)
    return Knowledge(known, steps, shares, steps / np.maximum(made, 1e-12))


def measure_misses(
    sent: IntArray, asks: BoolArray, knows: Knowledge
) -> Mapping[Adversary, FloatArray]:
    """Return (users,) the share of queries whose place each adversary misses.

    Args:
        sent: (users, traces, 72) locations, the first trace of each user being the true one.
        asks: (users, 72) which slots are queried.
        knows: what adversaries know, of steps as long as there are between queries.
    """
    new = first_of_equals(sent)
    belief = posterior(sent, new, asks, knows.known.shares, knows.steps)
    ratio = posterior(sent, new, asks, knows.shares_ratio, knows.steps_ratio)
    right = sent == sent[:, :1]
    queries = asks.sum(axis=1)

    def share(chosen: IntArray) -> FloatArray:
        hit = np.take_along_axis(right, chosen[:, None], axis=1)[:, 0]
        lost: FloatArray = 1 - (hit & asks).sum(axis=1) / queries
        return lost

    guess = 1 - (asks / new.sum(axis=1)).sum(axis=1) / queries
    chances = weights_of(sent, knows.known)
    wrong = 1 - (right & asks[:, None]).sum(axis=2) / queries[:, None]
    return {
        "naive": share(np.where(new, belief, -1).argmax(axis=1)),
        "contrarian": share(np.where(new, belief, 2).argmin(axis=1)),
        "ratio": share(np.where(new, ratio, -1).argmax(axis=1)),
        "weighted": (chances * wrong).sum(axis=1),
        "guessing": guess,
    }


def first_of_equals(sent: IntArray) -> BoolArray:
    """Return (users, traces, 72) whether no earlier trace is in the same place: a set holds it
    once."""
    same = sent[:, :, None] == sent[:, None]
    earlier = np.tril(np.ones((sent.shape[1],) * 2, dtype=bool), -1)
    found: BoolArray = ~(same & earlier[:, :, None]).any(axis=2)
    return found


def powers(chances: FloatArray, longest: int) -> FloatArray:
    """Return (longest, locations, locations) the chances of one step, of two, and so on."""
    found = np.empty((longest, *chances.shape))
    found[0] = chances
    for at in range(1, longest):
        np.matmul(found[at - 1], chances, out=found[at])
    return found


def posterior(
    sent: IntArray, new: BoolArray, asks: BoolArray, shares: FloatArray, steps: FloatArray
) -> FloatArray:
    """Return (users, traces, 72) how likely each place of a set is the true one, given all sets, by
    the forward and backward sums of a hidden Markov model; 0 where no query is.

    Args:
        sent: (users, traces, 72) locations.
        new: (users, traces, 72) which of them count.
        asks: (users, 72) which slots are queried.
        shares: (locations,) weights of the first place.
        steps: (gaps, locations, locations) weights of steps over so many slots.
    """
    forth = _sum_ways(sent, new, asks, shares, steps)
    back = _sum_ways(
        sent[:, :, ::-1], new[:, :, ::-1], asks[:, ::-1], np.ones_like(shares),
        steps.transpose(0, 2, 1),
    )[:, :, ::-1]  # fmt: skip
    both = forth * back
    total = both.sum(axis=1, keepdims=True)
    found: FloatArray = both / np.where(total > 0, total, 1)
    return found


def _sum_ways(
    sent: IntArray, new: BoolArray, asks: BoolArray, shares: FloatArray, steps: FloatArray
) -> FloatArray:
    """Return (users, traces, 72) sums over all ways up to each place, scaled to 1 in each set."""
    found = np.zeros(sent.shape)
    last = np.full(len(sent), -1)
    for slot in range(SLOTS):
        on = np.flatnonzero(asks[:, slot])
        begun = last[on] >= 0
        here = sent[on, :, slot]
        weight = shares[here]
        some, before = on[begun], last[on[begun]]
        step = steps[
            (slot - before - 1)[:, None, None], sent[some, :, before][:, :, None],
            here[begun][:, None],
        ]  # fmt: skip
        weight[begun] = (found[some, :, before][:, :, None] * step).sum(axis=1)
        weight = np.where(new[on, :, slot], weight, 0)
        total = weight.sum(axis=1, keepdims=True)
        # Where no way leads there, any place of the set is as good.
        even = new[on, :, slot] / new[on, :, slot].sum(axis=1, keepdims=True)
        found[on, :, slot] = np.where(total > 0, weight / np.where(total > 0, total, 1), even)
        last[on] = slot
    return found


def weights_of(sent: IntArray, known: Aggregate) -> FloatArray:
    """Return (users, traces) chances in proportion to the 72nd root of each trace's likelihood."""
    each = log_likelihoods(sent, known) / SLOTS
    weights = np.exp(each - each.max(axis=1, keepdims=True))
    found: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return found


def log_likelihoods(traces: IntArray, known: Aggregate) -> FloatArray:
    """Return (…,) of traces (…, 72), the logarithm of how likely people's moves make them."""
    start = np.log(np.maximum(known.shares[traces[..., 0]], 1e-12))
    steps = np.log(known.chances[traces[..., :-1], traces[..., 1:]])
    found: FloatArray = start + steps.sum(axis=-1)
    return found


def longest_gap(asks: BoolArray) -> int:
    """Return the most slots between two queries that follow each other; 1 at least."""
    user, slot = np.nonzero(asks)
    gaps = np.diff(slot)[user[1:] == user[:-1]]
    return int(gaps.max(initial=1))


NUMBERS: Final = (1, 2, 5, 10)
TRIED: Final = 5
"""How many fakes of each person an adversary makes, to know how fakes move."""


def privacy_of_published(
    days: IntArray,
    where: Geography,
    source: RandomSource,
    numbers: Sequence[int] = NUMBERS,
    repeats: int = 5,
) -> tuple[Privacy, ...]:
    """Privacy of people's true days against the number of fakes that the published synthesizer
    makes of them, for each adversary, in the order of the numbers.

    Thirty people and ten fakes take some seconds.

    Args:
        days: (people, 72) one day of each person: the true one, the seed of the fakes, and what the
            adversaries know people's ways from, as published. Simulated or public ones: the
            figures are internal otherwise.
        where: the map.
        source: where chance comes from.
        numbers: how many fakes are sent.
        repeats: how often; see `privacy_by_fakes`.
    """
    model = learn_days(as_days(days), where, source)
    made = fakes(days, model, max(numbers) + TRIED, source)
    return privacy_among(days, made, model, where, source, numbers, repeats)


def privacy_among(
    days: IntArray,
    made: IntArray,
    model: Model,
    where: Geography,
    source: RandomSource,
    numbers: Sequence[int] = NUMBERS,
    repeats: int = 5,
) -> tuple[Privacy, ...]:
    """Return the same among fakes that were made otherwise.

    Args:
        days: as for `privacy_of_published`.
        made: (people, most + tried, 72) fakes of each; all but as many as the largest of the
            numbers are those that adversaries make.
        model: of the days, which the adversaries know.
        where, source, numbers, repeats: as for `privacy_of_published`.
    """
    most = max(numbers)
    moves = fake_moves(made[:, most:], model, where)
    return privacy_by_fakes(days, made[:, :most], model.known, moves, numbers, source, repeats)


def as_days(traces: IntArray) -> Days:
    """Return traces (n, 72) as a weekday of a person each."""
    return Days(traces, np.zeros(len(traces), dtype=bool), np.arange(len(traces)))


def fake_moves(made: IntArray, model: Model, where: Geography) -> Aggregate:
    """Return how fakes (n, each, 72) move, as whoever has the program finds out by making some."""
    traces = made.reshape(-1, made.shape[-1])
    return aggregate(as_days(traces), where, model.known.locations)
