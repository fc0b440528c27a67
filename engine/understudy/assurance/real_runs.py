"""Runs as they are, held against their own guarantee, and the coins that they throw.

A run is done on two neighbours, with the same answers, and with one line of a function changed.

Coins decide what a run puts out: which are thrown, and how many candidates pass. All seeds of those
tables are equal, so that the score of every candidate is known beforehand, and with it the chance
to pass: that a candidate j short of k gets over the threshold with noise of scale 1/ε0, e^(−ε0·j)/2
or e^(−ε0·j)/(1 + e^−ε0), times 1 − ρ, not to be turned away after that. A run makes thousands of
attempts, from its plan, through `begin` and `release`; how many pass is held against that chance.
What is thrown is listened to, and has to be what the accountant was told.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import json
import math
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from types import CodeType, FunctionType
from typing import Any, Final
from unittest import mock

import numpy as np
from scipy.stats import binom

from understudy.assurance.check import GUARANTEE, MARGIN, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.transcript import NoiseQuery, RealDraws, costs
from understudy.core.arrays import IntArray, TextArray
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.outputs import Chunk, ResumePoint, Workers
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.composition import approximate_dp, total_epsilon
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility import threshold
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema


@contextmanager
def patch_source(function: Callable[..., Any], old: str, new: str) -> Iterator[None]:
    """Let a function run with one piece of its text replaced by another.

    Args:
        function: any that is written in Python and stands in a module or a class.
        old: the piece, which must stand in it exactly once.
        new: what takes its place.

    Raises:
        ValueError: the piece is not in it, or several times.
    """
    plain = inspect.unwrap(getattr(function, "__func__", function))
    assert isinstance(plain, FunctionType)
    kept = plain.__code__
    plain.__code__ = _recompile(plain, old, new)
    try:
        yield
    finally:
        plain.__code__ = kept


def _recompile(function: FunctionType, old: str, new: str) -> CodeType:
    text = textwrap.dedent(inspect.getsource(function))
    if text.count(old) != 1:
        raise ValueError(f"“{old}” stands {text.count(old)} times in {function.__qualname__}")
    changed = text.replace(old, new)
    # What a body was written under holds on for it alone.
    names = ast.parse(changed).body[0]
    assert isinstance(names, ast.FunctionDef)
    names.decorator_list = []
    module = ast.Module([names], [])
    flags = __future__.annotations.compiler_flag
    whole = compile(module, function.__code__.co_filename, "exec", flags, dont_inherit=True)
    code = next(each for each in whole.co_consts if isinstance(each, CodeType))
    if code.co_freevars != function.__code__.co_freevars:
        raise ValueError(f"{function.__qualname__} looks at what stands around it")
    return code


Asked = Sequence[NoiseQuery]
Spend = Callable[[Asked, Asked], Mapping[str, float]]
"""From what was asked of two neighbours to what it costs, over what is claimed: of the whole, and
of parts of it by their names."""
Later = Callable[
    [PlannedRun[Any], "Pair", Secret, "Begun", "Begun"], tuple[Mapping[str, float], bool]
]
"""From two runs that began alike to what their outputs cost, over what is claimed, and whether
these are the same once they are told the same numbers."""

PART: Final = "Runs as they are"
_SECRETS: Final = 1000
"""So many secrets are tried until a record is dealt to the part that it is wanted in."""
_ROUNDING: Final = 1e-9
"""What is lost where a scale is rounded upwards."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two tables that differ by a record, or by all records of a person.

    Attributes:
        words: how, in a few words.
        one: a table with the record.
        other: the neighbour.
        row: the place of the record in the first table, or of the first one of the person.
    """

    words: str
    one: Records
    other: Records
    row: int


def pair_codes(
    schema: Schema,
    words: str,
    rest: Sequence[Sequence[int]],
    one: Sequence[int],
    other: Sequence[int] | None = None,
) -> Pair:
    """Return the tables of some rows and a last one, which is another in the neighbour, or is not
    in it."""

    def tabulate(*last: Sequence[int]) -> Records:
        codes = np.array([*rest, *last], dtype=np.uint16)
        return Records(schema, codes.reshape(-1, len(schema.columns)))

    return Pair(words, tabulate(one), tabulate() if other is None else tabulate(other), len(rest))


@dataclass(frozen=True, eq=False)
class Trial:
    """A plan, and neighbours that would hurt.

    Attributes:
        name: which plan, in a few words.
        decided: what is run.
        pairs: neighbours.
        parts: from what a run has kept, the part that each record was dealt to, by name.
        spends: of each part whose records noise is spent on, what the questions cost.
        others: the other parts, a record of which moves nothing.
        least: of parts of what is spent, how much of the claim some pair has to reach; what is not
            named may stay as far below as it does.
        dealt: what a run keeps of how it dealt the records, which two neighbours differ in.
        read: parts whose records are looked at while outputs are made, and what of them is kept.
        needed: parts without whose records there is no run.
        later: of parts whose records noise is added to only while outputs are made, what of that.
        coins: which part each record is likely to be dealt to, where it takes long to begin a run
            to see; None to begin one.
        slow: whether it takes seconds, and something quicker looks at most of the same.
        chosen: answers to the first questions, of the first table, that are given in the place of
            drawn ones.
    """

    name: str
    decided: PlannedRun
    pairs: tuple[Pair, ...]
    parts: Callable[[Arrays], TextArray]
    spends: Mapping[str, Spend]
    others: tuple[str, ...] = ("held out",)
    least: Mapping[str, float] = field(default_factory=lambda: {"all": 0.99})
    dealt: frozenset[str] = frozenset({"held_out"})
    read: Mapping[str, frozenset[str]] = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    coins: Callable[[Records, Secret], TextArray] | None = None
    later: Mapping[str, Later] = field(default_factory=dict)
    slow: bool = False
    chosen: Callable[[Records, TextArray], Iterator[IntArray]] = lambda *_: iter(())


@dataclass(frozen=True, eq=False)
class Begun:
    """A run that has drawn all that comes before its first output.

    Attributes:
        state: what `begin` came to.
        draws: what it asked.
    """

    state: Any
    draws: RealDraws

    @property
    def arrays(self) -> Arrays:
        """The arrays that the state is kept as."""
        return dict(self.state.arrays())


@dataclass(frozen=True, eq=False)
class _Told:
    """A run on two neighbours that were told the same.

    Attributes:
        words: which.
        spent: what the questions cost, over the claim.
        alike: whether nothing else differs.
        amiss: what is not on the tape, in words.
    """

    words: str
    spent: Mapping[str, float]
    alike: bool
    amiss: tuple[str, ...]


def begin_run(
    decided: PlannedRun,
    records: Records,
    secret: Secret,
    given: Sequence[IntArray] = (),
    *,
    silent: bool = False,
) -> Begun:
    """Begin a run through its method's `begin`, and record all that it draws; see `RealDraws`."""
    draws = RealDraws.from_answers(given, silent=silent)
    with draws.listen():
        state = decided.mechanism.begin(decided, records, secret, draws)
    return Begun(state, draws)


def outputs(decided: PlannedRun, records: Records, of: Begun, secret: Secret) -> list[bytes]:
    """Return all that a run puts out, chunk after chunk, from its state as it was kept."""
    mechanism = decided.mechanism
    state = mechanism.restore(decided, of.arrays)
    return [
        b"%s %d " % (each.output.encode(), each.reached) + serialize_part(each.content)
        for each in mechanism.release(
            decided, records, state, secret, Workers(cores=1), ResumePoint()
        )
    ]


def serialize_part(content: Any) -> bytes:
    """Return a part of an output as bytes."""
    if isinstance(content, Records):
        numbers = b"" if content.numbers is None else content.numbers.tobytes()
        return content.codes.tobytes() + numbers
    if isinstance(content, Mapping):
        return json.dumps(content, sort_keys=True, default=str).encode()
    return np.ascontiguousarray(content).tobytes()


def compare_neighbours(trial: Trial) -> Iterator[_Told]:
    """Compare every pair of neighbours, with their record in every part it can be dealt to."""
    for number, pair in enumerate(trial.pairs):
        for part in (*trial.spends, *trial.others):
            # What is put out follows from what is kept, and is looked at once for each part.
            yield _compare(trial, pair, part, put_out=number == 0)


def _compare(trial: Trial, pair: Pair, part: str, *, put_out: bool) -> _Told:
    words = f"{trial.name}: {pair.words}, {part}"
    found = _deal_record(trial, pair, part)
    if found is None:
        return _Told(f"{words}, to which no record is ever dealt", {}, False, ())
    secret, first = found
    decided = trial.decided
    answers = first.draws.answers
    second = begin_run(decided, pair.other, secret, answers, silent=True)
    again = begin_run(decided, pair.one, secret, answers, silent=True)
    asked = first.draws.asked, second.draws.asked
    if part in trial.spends:
        alike_asked = [each.law for each in asked[0]] == [each.law for each in asked[1]]
        spent = trial.spends[part](*asked) if alike_asked and asked[0] else {"all": math.inf}
    else:
        spent = {"nothing": 0.0 if costs(*asked, pure=False) == 0 else math.inf}
    own = trial.dealt | trial.read.get(part, frozenset())
    alike = _alike(first.arrays, second.arrays, own) and _alike(
        first.arrays, again.arrays, frozenset()
    )
    if part in trial.later:
        more, same = trial.later[part](decided, pair, secret, first, second)
        spent, alike = {**spent, **more}, alike and same
    if put_out:
        once = outputs(decided, pair.one, first, secret)
        alike &= once == outputs(decided, pair.one, again, secret)
        alike &= part in trial.read or once == outputs(decided, pair.other, second, secret)
    amiss = (*first.draws.amiss, *second.draws.amiss)
    return _Told(words, spent, alike, amiss)


def _deal_record(trial: Trial, pair: Pair, part: str) -> tuple[Secret, Begun] | None:
    """Return a secret by which the record is dealt to a part, and the run that begins with it; None
    if no secret does."""
    for _ in range(_SECRETS):
        secret = Secret.fresh()
        if trial.coins is None:
            names = trial.parts(begin_run(trial.decided, pair.one, secret, silent=True).arrays)
        else:
            names = trial.coins(pair.one, secret)
        if names[pair.row] != part or not trial.needed <= set(np.delete(names, pair.row).tolist()):
            continue
        given = list(trial.chosen(pair.one, names))
        found = begin_run(trial.decided, pair.one, secret, given)
        if trial.parts(found.arrays)[pair.row] == part:
            return secret, found
    return None


def _alike(one: Arrays, other: Arrays, but: frozenset[str]) -> bool:
    """Return whether the arrays of two runs are the same to the last bit, except those named."""
    return one.keys() == other.keys() and all(
        one[name].tobytes() == other[name].tobytes() for name in one if name not in but
    )


def transcript_epsilon(one: Asked, other: Asked, delta: float) -> float:
    """Return the smallest known ε at a δ for telling two transcripts apart: by adding up ε, by
    optimal composition, by adding up ρ, or by ε and ρ each for itself."""
    if len(one) != len(other):
        return math.inf
    each = [first.cost(second) for first, second in zip(one, other, strict=True)]
    if math.inf in each:
        return math.inf
    pure = list(_pure(one, other))
    rest = math.fsum(cost for cost, question in zip(each, one, strict=True) if not question.pure)
    found = [math.fsum(pure) + (_of_rho(rest, delta) if rest else 0.0)]
    found.append(_of_rho(rest + math.fsum(cost**2 / 2 for cost in pure), delta))
    if not rest and pure and delta:
        found.append(total_epsilon(max(pure), len(pure), delta))
    return min(found)


def _pure(one: Asked, other: Asked) -> Iterator[float]:
    """Yield the ε of each number with noise of a pure law, and of each choice by one, unless it is
    not moved."""
    for first, second in zip(one, other, strict=True):
        if first.pure and first.choice:
            yield first.cost(second)
        elif first.pure:
            moved = np.abs(first.values - second.values) / first.scale
            yield from moved[moved > 0].tolist()


def _of_rho(rho: float, delta: float) -> float:
    return 0.0 if not rho else approximate_dp(rho, delta).epsilon if delta else math.inf


def question_cost(budget: Budget) -> Spend:
    """Return what all questions cost, over the ε that is claimed of them at its δ."""

    def spend(one: Asked, other: Asked) -> Mapping[str, float]:
        return {"all": transcript_epsilon(one, other, budget.delta) / budget.epsilon}

    return spend


Trials = Callable[[], Sequence[Trial]]


@dataclass(frozen=True)
class Break:
    """One line of what runs, broken.

    Attributes:
        name: what is broken, in a few words.
        what: the same in full.
        function: in which.
        old, new: the piece of its text, and what takes its place.
        trial: the name of the trial that notices it; "" for whichever does.
    """

    name: str
    what: str
    function: Callable[..., Any]
    old: str
    new: str
    trial: str = ""


@dataclass(frozen=True)
class Runs:
    """The runs of a method that are looked at.

    Attributes:
        kind: of the method.
        title: of the method, to a reader.
        trials: its plans, with neighbours.
        breaks: each of which has to be noticed.
    """

    kind: str
    title: str
    trials: Trials
    breaks: tuple[Break, ...]

    def checks(self) -> tuple[Check, ...]:
        """Return what has to hold of these runs."""
        return tuple(
            Check(
                PART,
                f"{self.title}, {name}",
                claim,
                GUARANTEE,
                partial(_measure_trials, self.trials, measure),
            )
            for name, claim, measure in _CLAIMS
        )

    def mutants(self) -> tuple[Check, ...]:
        """Return the same checks of runs that are broken in one line."""
        return tuple(
            Check.mutant(
                f"{self.title}, {each.name}", each.what, partial(_break_run, self.trials, each)
            )
            for each in self.breaks
        )


def _measure_trials(trials: Trials, measure: Measure, effort: Effort) -> MeasuredValue:
    return measure(_all_told(trials, effort), _some(trials, effort))


def _some(trials: Trials, effort: Effort) -> tuple[Trial, ...]:
    """Return the trials; at little effort, without those that take seconds."""
    return tuple(each for each in trials() if effort.times >= 1 or not each.slow)


def _break_run(trials: Trials, of: Break, _: Effort) -> MeasuredValue:
    measured = NOTHING
    with patch_source(of.function, of.old, of.new):
        own = [each for each in trials() if each.name.startswith(of.trial)]
        found = []
        for each in (each for trial in own for each in compare_neighbours(trial)):
            found.append(each)
            for measure in (_measure_spent, _looked_at, _on_the_tape):
                measured |= measure([each], own)
            if measured.worst >= MARGIN:
                return measured
        return measured | _left_over(found, own)


@cache
def _all_told(trials: Trials, effort: Effort) -> tuple[_Told, ...]:
    return tuple(each for trial in _some(trials, effort) for each in compare_neighbours(trial))


def _measure_spent(found: Sequence[_Told], _: Sequence[Trial]) -> MeasuredValue:
    measured = NOTHING
    for each in found:
        for name, spent in each.spent.items():
            found_of = float(spent) / (1 + _ROUNDING)
            measured |= MeasuredValue(1, found_of, f"{each.words}, {name}")
    return measured


def _left_over(found: Sequence[_Told], trials: Sequence[Trial]) -> MeasuredValue:
    measured = NOTHING
    for trial in trials:
        own = [each.spent for each in found if each.words.startswith(f"{trial.name}: ")]
        for name, least in trial.least.items():
            most = max((each[name] for each in own if name in each), default=0.0)
            reached = float(least / most) if most else math.inf
            measured |= MeasuredValue(len(own), reached, f"{trial.name}, {name}")
    return measured


def _looked_at(found: Sequence[_Told], _: Sequence[Trial]) -> MeasuredValue:
    measured = NOTHING
    for each in found:
        measured |= MeasuredValue(1, 0.0 if each.alike else math.inf, each.words)
    return measured


def _on_the_tape(found: Sequence[_Told], _: Sequence[Trial]) -> MeasuredValue:
    measured = NOTHING
    for each in found:
        words = f"{each.words}: {each.amiss[0]}" if each.amiss else each.words
        measured |= MeasuredValue(1, math.inf if each.amiss else 0.0, words)
    return measured


Measure = Callable[[Sequence[_Told], Sequence[Trial]], MeasuredValue]
_CLAIMS: Final[tuple[tuple[str, str, Measure], ...]] = (
    (
        "what is spent",
        "the questions that a run asks cost a record of each part what its guarantee says at most",
        _measure_spent,
    ),
    (
        "what is left over",
        "neighbours chosen to hurt cost what is claimed, so that there is no more noise than said",
        _left_over,
    ),
    (
        "what else is looked at",
        "(0, 0): told the same answers, neighbours have the same state and outputs, except for "
        "what "
        "is read of seeds; begun again, a run is the same",
        _looked_at,
    ),
    (
        "what is on the tape",
        "each draw of OpenDP is on the tape, on the values and at the scale that the tape is told",
        _on_the_tape,
    ),
)


SCHEMA: Final = Schema(
    columns=tuple(
        Column(name=name, domain=Categories(values=("no", "yes"))) for name in ("one", "other")
    )
)
K: Final = 100
SEEDS: Final = 0.98
"""The chance of a record to be a seed."""
MISS: Final = 1e-9
"""The chance that a sound run is found to pass too often; and that, too rarely."""
OWN_COUNTED: Final = Break(
    "the own seed is counted",
    "every candidate scores one more than there are others",
    RelativeSensitivity.scores,
    "np.maximum(plausible - 1, 0)",
    "plausible",
)
_COIN_SECRETS: Final = 200
_NEAR: Final = range(1, 3)
"""How far below the threshold candidates score, so that it is noise that lets some pass."""


def count_near_k(*, counts_own: bool) -> int:
    """Return of how many equal records, dealt by SEEDS, candidates score a little less than K."""
    return round((K - 2 + (not counts_own)) / SEEDS)


def equal_records(*, counts_own: bool) -> Records:
    """Return so many equal records, of which candidates score a little less than K."""
    return Records(SCHEMA, np.zeros((count_near_k(counts_own=counts_own), 2), dtype=np.uint16))


@dataclass(frozen=True, eq=False)
class Coins:
    """A plan whose candidates all score the same.

    Attributes:
        name: which, in a few words.
        decided: what is run.
        records: equal ones.
        parts: from what a run has kept, the part that each record was dealt to.
        account: of the attempts.
        counts_own: whether a candidate's own seed is counted too.
        passed: how many attempts some chunks are of.
        seeds: how many seeds there are, of the parts of records.
        breaks: each of which has to be noticed.
    """

    name: str
    decided: PlannedRun
    records: Records
    parts: Callable[[Arrays], TextArray]
    account: Account
    counts_own: bool
    passed: Callable[[Sequence[Chunk]], int] = lambda chunks: sum(
        len(each.content) for each in chunks
    )
    seeds: Callable[[Records, TextArray], int] = lambda _, names: int((names == "seeds").sum())
    breaks: tuple[Break, ...] = ()

    def checks(self) -> tuple[Check, ...]:
        """Return what has to hold of these coins."""
        return (
            Check(
                PART,
                f"{self.name}, coins",
                "all that is thrown is the coin of k and ε0, and that of ρ, that the accountant "
                "was told; as many candidates pass as these let, within bounds that a sound run "
                f"keeps to except for {2 * MISS:g}",
                GUARANTEE,
                partial(_measure, self),
            ),
        )

    def mutants(self) -> tuple[Check, ...]:
        """Return the same check of coins that are broken in one line."""
        return tuple(
            Check.mutant(f"{self.name}, {each.name}", each.what, partial(_break_coins, self, each))
            for each in self.breaks
        )


def _break_coins(coins: Coins, of: Break, effort: Effort) -> MeasuredValue:
    with patch_source(of.function, of.old, of.new):
        return _measure(coins, effort)


def _measure(coins: Coins, _: Effort) -> MeasuredValue:
    started = _start_near_k(coins)
    if started is None:
        return MeasuredValue(_COIN_SECRETS, math.inf, f"{coins.name}: no run has a score near k")
    secret, state, score = started
    test, unit = coins.account.test, coins.account
    attempts = unit.count
    assert test.epsilon0 is not None
    mechanism = coins.decided.mechanism
    with _listen() as thrown:
        kept = mechanism.restore(coins.decided, state.arrays)
        chunks = list(
            mechanism.release(
                coins.decided, coins.records, kept, secret, Workers(cores=1), ResumePoint()
            )
        )
    told = {(test.k, test.epsilon0, test.noise), unit.pass_cap or 0.0}
    words = f"{coins.name}, a score of {score} at k = {test.k}"
    if set(thrown) != told:
        return MeasuredValue(attempts, math.inf, f"{words}: another coin was thrown")
    law = 2 if test.noise == "laplace" else 1 + math.exp(-test.epsilon0)
    chance = math.exp(-test.epsilon0 * (test.k - score)) / law
    passes = chance * (1 - (unit.pass_cap or 0.0))
    found = coins.passed(chunks)
    most = float(binom.isf(MISS, attempts, passes))
    least = float(binom.ppf(MISS, attempts, passes))
    return NOTHING | MeasuredValue(attempts, max(found / most, least / max(found, 1)), words)


def _start_near_k(coins: Coins) -> tuple[Secret, Begun, int] | None:
    """Begin a run whose candidates score a little less than k; return None if records are dealt
    otherwise."""
    k = coins.account.test.k
    for _ in range(_COIN_SECRETS):
        secret = Secret.fresh()
        found = begin_run(coins.decided, coins.records, secret)
        score = coins.seeds(coins.records, coins.parts(found.arrays)) - (not coins.counts_own)
        if k - score in _NEAR:
            return secret, found, score
    return None


@contextmanager
def _listen() -> Iterator[list[Any]]:
    """Listen to what is thrown: the coins of thresholds, and the chances to be turned away."""
    thrown: list[Any] = []
    decide, least, capped = PassCoin.decide, PassCoin.least, threshold.capped_away

    def hear_coin(usual: Callable[..., Any], this: PassCoin, *given: Any) -> Any:
        thrown.append((this.k, this.epsilon0, this.noise))
        return usual(this, *given)

    def turned_away(cap: float, count: int, source: RandomSource) -> Any:
        thrown.append(cap)
        return capped(cap, count, source)

    with ExitStack() as stack:
        stack.enter_context(
            mock.patch.object(PassCoin, "decide", lambda *each: hear_coin(decide, *each))
        )
        stack.enter_context(
            mock.patch.object(PassCoin, "least", lambda *each: hear_coin(least, *each))
        )
        for module in list(sys.modules.values()):
            if getattr(module, "capped_away", None) is capped:
                stack.enter_context(mock.patch.object(module, "capped_away", turned_away))
        yield thrown
