"""What every sentence of a statement says in figures, or when it may stand: a separate oracle.
Each rule is a sentence with its figures taken out, and a check of these figures against numbers
worked out anew from the settings, or against the condition under which the sentence is true. A
sentence that fits no rule, or whose numbers are not all looked at, is no sentence of a statement.
Twenty plans from ε = .01 to 10⁴, and what is said of each, held sentence by sentence against an
oracle of its own.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from scipy.stats import binom

from tests.support import category_schema, stated
from understudy.ledger.totals import Spend, add_up, add_up_population
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.mechanisms.statement import STAIN
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, Strength, strength
from understudy.report.ledger_extract import LedgerExtract, cumulative_sentences, spell_budget
from understudy.runs.debit import make_debit
from understudy.table.schema import Schema

N = r"(∞|\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)"
"""A number."""

CERTAIN = 0.9995
"""A belief above this is not told in figures."""


@dataclass(frozen=True)
class Case:
    """A plan, and what the oracle knows of it.

    Attributes:
        plan, schema: what was run.
        total: what is stated, for one person, between tables.
        population: between populations; None where there is none.
    """

    plan: Plan
    schema: Schema
    total: Budget
    population: Budget | None = None

    @property
    def made(self) -> Promise:
        return promise(self.plan, self.schema)

    def together(self, spent: Budget) -> Case:
        """The same read as of all that was released."""
        return Case(self.plan, self.schema, spent)


def number(text: str) -> float:
    return float(text.replace(",", ""))


def upwards(text: str, exact: float, digits: int = 4) -> bool:
    """Whether a figure is the exact one, not understated and rounded no coarser than that."""
    shown = number(text)
    return exact * (1 - 1e-9) <= shown <= exact * (1 + 10.0 ** (1 - digits)) + 1e-300


def becomes(total: Budget, prior: float, steps: int) -> tuple[float, float]:
    """What a belief becomes at most, and the chance of more: Bayes' rule with odds of e^(steps·ε),
    and a hundredth more where δ is above 0."""
    delta = total.delta if steps == 1 else total.delta * (1 + math.exp(min(700, total.epsilon)))
    if delta >= 1:
        return 1.0, 1.0
    log_odds = math.log(prior / (1 - prior)) + steps * total.epsilon + math.log(1.01) * (delta > 0)
    at_most = 1 / (1 + math.exp(-log_odds)) if log_odds < 700 else 1.0
    beyond = delta * (1.01 + math.exp(-steps * total.epsilon)) / 0.01
    return at_most, min(1.0, beyond)


def certain(total: Budget, steps: int, prior: float = 0.1) -> bool:
    at_most, beyond = becomes(total, prior, steps)
    return at_most > CERTAIN or beyond >= 1


def grade(total: Budget) -> str:
    """The grade by ε of the module's table, worked out from odds in whole numbers: 1/7, 1/3, 1 and
    9 to 1, from 1/9."""
    reached, beyond = becomes(total, 0.1, 2)
    if max(beyond, becomes(total, 0.1, 1)[1]) > 1e-3:
        return "very weak"
    odds = reached / (1 - reached) if reached < 1 else math.inf
    for name, most in (("very strong", Fraction(1, 7)), ("strong", Fraction(1, 3)),
                       ("moderate", Fraction(1)), ("weak", Fraction(9))):  # fmt: skip
        if odds <= most:
            return name
    return "very weak"


def one_in(text: str, unit: str | None, chance: float) -> bool:
    """Whether “1 in …” does not understate a chance, and is close to it."""
    size = {None: 1.0, "million": 1e6, "billion": 1e9, "trillion": 1e12}[unit]
    turns = (1 if text == "a" else number(text)) * size
    return turns * chance <= 1 + 1e-9 and turns * chance >= 0.98 - 1 / max(turns, 1)


def chance_beyond(total: Budget, *steps: int) -> float:
    return max((becomes(total, 0.1, each)[1] for each in steps if not certain(total, each)),
               default=0.0)  # fmt: skip


Check = Callable[[Case, Sequence[str]], bool]


def _chance(found: Sequence[str], total: Budget, *steps: int) -> bool:
    """Of “the chance of a release that moves a belief further is at most 1 in …”."""
    if found[0] is None:
        return total.delta == 0
    return one_in(found[0], found[1], chance_beyond(total, *steps))


def _believed(case: Case, found: Sequence[str]) -> bool:
    """Of the beliefs that somebody is in the data, and about what stands there of them."""
    about, then, held, becomes_ = found[:4]
    fits = not certain(case.total, 1) and number(about) == 10
    fits = fits and upwards(then, 100 * becomes(case.total, 0.1, 1)[0], 3)
    fits = fits and _chance(found[4:], case.total, 1, 2)
    if held is None:
        return fits and certain(case.total, 2)
    reached = 100 * becomes(case.total, 0.1, 2)[0]
    return (
        fits and not certain(case.total, 2) and number(held) == 10 and upwards(becomes_, reached, 3)
    )


def _factor(case: Case, total: Budget, found: Sequence[str]) -> bool:
    """Of “e^ε (about …) times what it would be, plus δ”."""
    epsilon, digits, about, delta = found
    fits = upwards(epsilon, total.epsilon)
    if digits:
        fits = fits and number(digits) == math.floor(total.epsilon / math.log(10)) + 1
    else:
        fits = fits and upwards(about, math.exp(total.epsilon))
    if delta is None:
        return fits and total.delta == 0
    return fits and upwards(delta, total.delta, 2)


def _seeds(case: Case, found: Sequence[str]) -> bool:
    needed, seeds = (int(number(each)) for each in found)
    miss = 0.1 * case.made.record_delta
    share = case.plan.shares.seeds
    return (
        seeds == case.plan.seeds_at_least
        and binom.cdf(seeds - 1, needed, share) <= miss * (1 + 1e-6)
        and binom.cdf(seeds - 1, needed - 1, share) > miss * (1 - 1e-6)
    )


def _no_figure(condition: Callable[[Case], bool]) -> Check:
    return lambda case, found: condition(case)


_E = (
    rf"e\^{N}(?:, a number with {N} digits,| \(about {N}\)) times what it would be"
    rf"(?:, plus δ = {N})?"
)
_ONE_IN = rf"1 in (?:(a|{N[1:-1]})(?: (million|billion|trillion))?)"
_GOES_ON = "A fact in that|Of facts in that|The chance of a release"
_CHANCE = rf"(?: The chance of a release that moves a belief further is at most {_ONE_IN}\.)?"

g1 = _no_figure(lambda case: case.plan.records_per_person == 1)

DEPENDS = {
    "very strong": "hardly depends on",
    "strong": "depends only a little on",
    "moderate": "depends to a limited degree on",
    "weak": "may depend strongly on",
    "very weak": "may depend almost wholly on",
}


def _depends(case: Case, found: Sequence[str]) -> bool:
    people, how = (None, found[0]) if len(found) == 1 else found
    fits = DEPENDS[grade(case.total)] == how
    persons = case.plan.records_per_person
    return fits and (persons == 1 if people is None else int(number(people)) == persons)


def rules() -> tuple[tuple[str, Check], ...]:
    """Every sentence of a statement, and what is true where it stands."""
    return (*_beliefs(), *_promised(), *_about(), *_assumed(), *_not_covered(), *_others())


def _beliefs() -> tuple[tuple[str, Check], ...]:
    read = "(?:this table|all that was released)"
    return (
        (rf"Somebody who thinks it {N} % likely that a certain person is in the data cannot come "
         rf"to think it more than {N} % likely by reading {read}, whatever else they know\. "
         rf"(?:A fact in that person’s record, thought {N} % likely, becomes at most {N} % likely "
         r"through that record\.|Of facts in that person’s record they may become all but "
         r"certain\.)"
         rf"{_CHANCE}", _believed),
        (rf"Reading {read} may make somebody all but certain whether a certain person is in the "
         r"data, and of facts that stand there about them, whatever they believed before\.",
         _no_figure(lambda case: certain(case.total, 1) and certain(case.total, 2))),
        (r"What the (?:table shows|releases show) of people in general may be learned, and applied "
         r"to anybody, all the same\.", _no_figure(lambda case: not certain(case.total, 1))),
        (r"That is a (very strong|strong|moderate|weak) promise\.",
         lambda case, found: grade(case.total) == found[0]),
        (r"As a promise about any one person, that means next to nothing\.",
         _no_figure(lambda case: grade(case.total) == "very weak")),
    )  # fmt: skip


def _promised() -> tuple[tuple[str, Check], ...]:
    return (
        (rf"The probability of any conclusion drawn from this table is at most {_E}, had any one "
         r"record not been in the data; and the other way round\.",
         lambda case, found: case.plan.records_per_person == 1
         and _factor(case, case.total, found)),
        (rf"The probability of any conclusion drawn from this table is at most {_E}, had none of "
         rf"the records of any one person, up to {N} of them, been in the data; and the other way "
         r"round\.",
         lambda case, found: int(number(found[4])) == case.plan.records_per_person
         and _factor(case, case.total, found[:4])),
        (r"No differential privacy is promised: the model or the test was run without noise, for "
         r"comparison only\.", _no_figure(lambda case: not case.total.bounded)),
        (r"For the model, that is the word of “toy”, repeated here\.",
         _no_figure(lambda case: case.plan.model.outside is not None)),
        (r"The table is claimed to be a secret sample, which took in each member of a population "
         rf"with a chance of {N}\.",
         lambda case, found: case.population is not None
         and number(found[0]) == case.plan.sampling),
        (r"For somebody who does not know whom the table took in, the probability of any "
         rf"conclusion drawn from this table is at most {_E}, were any one person not a member of "
         r"it; and the other way round\.",
         lambda case, found: case.population is not None
         and _factor(case, case.population, found)),
        (r"What the choice of the settings shows is left out of all that: the custodian adopted "
         r"them after looking at figures computed from these records without noise\.",
         _no_figure(lambda case: case.plan.chosen_by_looking)),
        (rf"If they think it {N} % likely that a certain person is a member of it, they cannot "
         rf"come to think it more than {N} % likely\.{_CHANCE}",
         lambda case, found: case.population is not None and number(found[0]) == 10
         and _chance(found[2:], case.population, 1)
         and upwards(found[1], 100 * becomes(case.population, 0.1, 1)[0], 3)),
        (r"They may become all but certain that a certain person is a member of it\.",
         _no_figure(lambda case: case.population is not None and certain(case.population, 1))),
        (r"Whether somebody is in the table, and what stands there of them, is another question, "
         r"which the figures between tables answer alone\.",
         _no_figure(lambda case: case.population is not None)),
    )  # fmt: skip


def _about() -> tuple[tuple[str, Check], ...]:
    how = "(" + "|".join(DEPENDS.values()) + ")"
    bounded = _no_figure(lambda case: case.total.bounded)
    return (
        (r"(?:Nobody|Nothing): see the statement\.",
         _no_figure(lambda case: not case.total.bounded)),
        (rf"Each record, and so each person who has one record in the table: what can be concluded "
         rf"{how} whether that record is in the table\.", _depends),
        (rf"Each person who has up to {N} records in the table: what can be concluded {how} "
         r"whether all of that person's records are in the table\.", _depends),
        (r"tables that differ by one record, added or removed", g1),
        (rf"tables that differ by the records of one person, up to {N} of them, added or removed",
         lambda case, found: int(number(found[0])) == case.plan.records_per_person > 1),
        (r"populations that differ by one member, added or removed",
         _no_figure(lambda case: case.population is not None)),
        (r"The whole table and the model behind it, with any number of records\.", _seedless),
        (r"Only learning the model costs anything; no record is made from a real one\.", _seedless),
        (rf"The whole table: the model and (?:all )?{N} (attempt|record)s?"
         rf"(?: \({N} of them look at a seed; the others cost nothing\))?"
         r"(?:, rejected candidates included|, a number fixed beforehand)\.", _counts),
        (r"How many attempts were made and how many records came out may be published, and the "
         r"model too\.", _protocol("attempts")),
        (r"How many attempts they took, and how long, must stay hidden; the model may be "
         r"published\.", _protocol("releases")),
        (r"The synthetic table, with any number of records\.", _seedless),
        (r"The synthetic table, whose number of records was fixed beforehand\.",
         _protocol("releases")),
        (r"The synthetic table, and so how many records came out\.", _protocol("attempts")),
        (rf"How many attempts were made, {N}, and so how many released nothing\.",
         lambda case, found: case.plan.protocol == "attempts" and case.made.seeds is not None
         and int(number(found[0])) == case.plan.attempts),
        (r"The model that the rows come from\.", _seedless),
        (r"The model that the candidates come from\.",
         lambda case, found: bounded(case, found) and not _seedless(case, found)),
        (r"The settings, except for how values outside the schema were settled\.", bounded),
    )  # fmt: skip


def _seedless(case: Case, found: Sequence[str]) -> bool:
    return case.plan.seed_attempts(case.schema) == 0


def _protocol(name: str) -> Check:
    return _no_figure(
        lambda case: case.plan.protocol == name and case.plan.seed_attempts(case.schema) > 0
    )


def _counts(case: Case, found: Sequence[str]) -> bool:
    count, what, looking = found
    seeds = case.plan.seed_attempts(case.schema)
    told = seeds if looking is not None else case.plan.attempts
    return (
        int(number(count)) == case.plan.attempts
        and what == ("attempt" if case.plan.protocol == "attempts" else "record")
        and (looking is None or int(number(looking)) == seeds)
        and told == seeds
    )


def _assumed() -> tuple[tuple[str, Check], ...]:
    whoever = r"(?:with or without any one record|whichever of any one person's are taken out)"
    return (
        (r"The schema \(how values are read, columns, categories, bounds, steps, buckets\) is "
         r"public knowledge and was not chosen by looking at the records\.",
         _no_figure(lambda case: case.schema.declared)),
        (r"One person contributes one record\.", g1),
        (rf"One person contributes at most {N} records\.",
         lambda case, found: int(number(found[0])) == case.plan.records_per_person > 1),
        (r"The settings of the plan were not chosen by looking at the records\.",
         _no_figure(lambda case: not case.plan.chosen_by_looking)),
        (rf"The table has at least {N} records, {whoever}: public knowledge, as the custodian "
         r"confirmed before the run\.",
         lambda case, found: int(number(found[0])) == case.plan.public_records
         and (case.plan.public_records or 0) >= (case.made.records_at_least or math.inf)),
        (rf"The table has at least {N} records, {whoever}\.",
         lambda case, found: int(number(found[0])) == case.made.records_at_least),
        (r"Nobody has confirmed that this is public knowledge\.",
         _no_figure(lambda case: (case.plan.public_records or 0)
                    < (case.made.records_at_least or 0))),
        (rf"Of {N} or more, at least {N} become seeds, except for a chance that is counted in δ\.",
         _seeds),
        (rf"At least a share of {N} of all attempts pass the test, {whoever}, and however the "
         r"records fall into parts and the noise of the model falls out\.",
         lambda case, found: number(found[0]) == case.plan.pass_floor),
        (rf"For the figure between populations only: the table is itself a secret random sample "
         rf"that took in each member of the population independently with probability {N}\.",
         lambda case, found: case.population is not None
         and number(found[0]) == case.plan.sampling),
        (r"Nobody but the custodian learns how many attempts were made or how long they took: the "
         r"start of the run, the times of its files and of the ledger, and its progress stay "
         r"hidden\.", _protocol("releases")),
        (r"Nobody but the custodian learns which records were held out or learned from, or what "
         r"was made of that: the coins that decided stay secret\.",
         _no_figure(lambda case: max(case.plan.shares.each) < 1)),
        (rf"Learning the model “toy” keeps to ε = {N} and δ = {N} for one record\.",
         lambda case, found: upwards(found[0], case.plan.model.epsilon or math.inf)
         and upwards(found[1], case.made.record_delta, 2)),
        (r"That is not this program's promise: it is repeated here, and was not proved or "
         r"checked\.", _outside),
        (r"Who stands behind it: The authors of the toy\.", _outside),
        (r"What it covers: One record, added or removed\.", _outside),
    )  # fmt: skip


def _outside(case: Case, found: Sequence[str]) -> bool:
    return case.plan.model.outside is not None


def _not_covered() -> tuple[tuple[str, Check], ...]:
    bounded = _no_figure(lambda case: case.total.bounded)
    return (
        (r"The choice of these very settings: the custodian adopted them after looking at figures "
         r"computed from these records without noise\.",
         _no_figure(lambda case: case.plan.chosen_by_looking)),
        (r"What that choice shows is bounded by nothing\.",
         _no_figure(lambda case: case.plan.chosen_by_looking)),
        (r"Choices the custodian made by looking at these records or at figures computed from "
         r"them: the schema, the settings, whether to run again or to cancel\.", bounded),
        (r"Other releases from the same records: each shows something more, and their ε and δ add "
         r"up\.", bounded),
        (r"This statement counts one release alone; what all of them come to is in the custodian’s "
         r"ledger, and in the packet of this release\.", bounded),
        (r"What holds of people in general, and so of a person whether or not that person is in "
         r"the table\.", bounded),
        (r"That a file was refused, and why\.", bounded),
        (r"How long the run took, and the times of its files\.",
         _no_figure(lambda case: case.plan.protocol == "attempts"
                    or case.plan.seed_attempts(case.schema) == 0)),
        (r"All of a person's records together, where a person has more than one\.", g1),
    )  # fmt: skip


def _others() -> tuple[tuple[str, Check], ...]:
    """What a packet says of the other runs; `case.total` is of all of them then."""
    return (
        (r"For somebody who reads what all of them released, this stands in place of what is said "
         r"of this table alone: (.*)",
         lambda case, found: fits_alone(found[0], case)),
    )  # fmt: skip


def fits_alone(sentence: str, case: Case) -> bool:
    return unfit([sentence], case) == []


def sentences(text: str) -> list[str]:
    """The sentences of a text, one after another; those that go on about a belief with it."""
    return re.split(rf"(?<=\.)\s+(?!{_GOES_ON})(?=[A-Z])", text.strip())


def unfit(texts: Sequence[str], case: Case) -> list[str]:
    """The sentences that fit no rule, or say something that is not so."""
    found = [each for text in texts for each in sentences(text)]
    return [each for each in found if not _fits(each, case)]


def _fits(sentence: str, case: Case) -> bool:
    for pattern, check in rules():
        match = re.fullmatch(pattern, sentence)
        if match is not None:
            return bool(check(case, match.groups()))
    return False


def told(guarantee: Mapping[str, Any]) -> list[str]:
    """Every text of a guarantee but its formulas."""
    population = guarantee["population"]
    return [
        guarantee["statement"], guarantee["compares"], guarantee["protects"], guarantee["covers"],
        *guarantee["reader_sees"], *guarantee["assumes"], *guarantee["not_covered"],
        *([] if population is None else [population["statement"], population["compares"]]),
    ]  # fmt: skip


SCHEMA = category_schema(3, 4, 2, 5).declare_public("the code book")

SEEDLESS = {"omega": Omega(low=4, high=4)}
TOY = Claim(name="toy", source="The authors of the toy", covers="One record, added or removed.")
RELATIVE = {"kind": "relative-sensitivity", "k": 300, "epsilon0": 0.3}
MANY = {"public_records": 20_000}
RELEASES = {"protocol": "releases", "pass_floor": 0.1, "attempts": 5, "test": RELATIVE, **MANY}


def model(total: float | None, chance: float = 0.6, **settings: Any) -> dict[str, Any]:
    """A model that costs so much in all, if that is the chance of being learned from."""
    epsilon = total if total is None else math.log1p(math.expm1(total) / chance)
    return {"model": {"epsilon": epsilon, **settings}}


PLANS: dict[str, tuple[dict[str, Any], tuple[float, float] | None]] = {
    # What is run, and between what its ε lies; None where nothing is promised.
    "a hundredth": ({**SEEDLESS, **model(0.01)}, (0.01, 0.01)),
    "a tenth, marginals, without δ": (
        {**SEEDLESS, **model(0.1, 0.3, kind="marginals")}, (0.1, 0.1),
    ),
    "a half, published network": ({**SEEDLESS, **model(0.5, kind="network")}, (0.49, 0.51)),
    "one": ({**SEEDLESS, **model(1.0)}, (1, 1)),
    "one, a sample": ({**SEEDLESS, **model(1.0), "sampling": 0.01}, (1, 1)),
    "outside": ({**SEEDLESS, **model(0.75, kind="outside", outside=TOY)}, (0.75, 0.75)),
    "two, of three records a person": (
        {**SEEDLESS, **model(2 / 3), "records_per_person": 3}, (1.9, 2.1),
    ),
    "three, of five and a sample": (
        {**SEEDLESS, **model(0.6), "records_per_person": 5, "sampling": 0.2}, (2.9, 3.1),
    ),
    "five": ({**SEEDLESS, **model(5.0)}, (5, 5)),
    "nine, and a sample of all": ({**SEEDLESS, **model(9.0), "sampling": 1.0}, (9, 9)),
    "a large δ": ({**SEEDLESS, **model(0.2), "delta": 1e-4, "seeds_at_least": 100}, (0.2, 0.2)),
    "one attempt": ({"attempts": 1, **MANY}, (0.9, 1.3)),
    "ten attempts, by the second test": (
        {"attempts": 10, "test": RELATIVE, **model(0.5), **MANY}, (0.5, 4),
    ),
    "forty attempts, of which half look": (
        {"attempts": 40, "omega": Omega(low=3, high=4, reading="announced"), **MANY}, (5, 40),
    ),
    "records only": (RELEASES, (1, 4)),
    "records only, two a person, a sample": (
        {**RELEASES, "records_per_person": 2, "sampling": 0.5}, (2, 8),
    ),
    "a thousand attempts, chosen by looking": (
        {"attempts": 1_000, "chosen_by_looking": True, **MANY}, (300, 900),
    ),
    "ten thousand and more": ({"attempts": 20_000, **MANY}, (1e4, 1e5)),
    "a model without noise": ({**model(None), **MANY}, None),
    "a test without noise": ({"test": {"k": 50, "gamma": 4.0, "epsilon0": None}, **MANY}, None),
}  # fmt: skip


def said(name: str) -> tuple[dict[str, Any], Case]:
    plan = Plan.of(SCHEMA, **PLANS[name][0])
    made = promise(plan, SCHEMA)
    written = stated(plan, SCHEMA, released=12, sha256="0" * 64, stained=False)
    guarantee = json.loads(json.dumps(written, allow_nan=False))["guarantee"]
    return guarantee, Case(plan, SCHEMA, made.total, made.population)


def test_there_are_twenty_over_six_orders_of_magnitude() -> None:
    assert len(PLANS) == 20
    epsilons = [said(name)[1].total.epsilon for name, (_, within) in PLANS.items() if within]
    assert min(epsilons) <= 0.01
    assert max(epsilons) >= 1e4
    grades = {said(name)[0]["strength"] for name in PLANS}
    assert grades == set(Strength)


@pytest.mark.parametrize("name", PLANS)
def test_every_sentence_says_what_its_figures_are(name: str) -> None:
    guarantee, case = said(name)
    within = PLANS[name][1]
    if within is None:
        assert not case.total.bounded
    else:
        assert within[0] * (1 - 1e-9) <= case.total.epsilon <= within[1] * (1 + 1e-9)
    assert unfit(told(guarantee), case) == []


@pytest.mark.parametrize("name", PLANS)
def test_the_belief_comes_first_and_no_comfort_stands_over_a_large_epsilon(name: str) -> None:
    guarantee, case = said(name)
    first = guarantee["statement"].partition(" ")[0]
    assert first == ("No" if not case.total.bounded else first)
    if case.total.bounded:
        assert first in ("Somebody", "Reading")
    worst = becomes(case.total, 0.1, 2)[0] if case.total.bounded else 1.0
    text = " ".join(told(guarantee))
    assert ("hardly" in text) == (worst <= 0.125)
    assert not (re.search(r"strong promise|only a little", text) and worst > 0.25)
    assert not ("moderate" in text and worst > 0.5)


@pytest.mark.parametrize("name", PLANS)
def test_figures_for_programs_are_those_of_the_sentences(name: str) -> None:
    guarantee, case = said(name)
    assert guarantee["strength"] == strength(case.total)
    assert guarantee["neighbours"] == "tables"
    if not case.total.bounded:
        assert guarantee["epsilon"] is guarantee["delta"] is guarantee["beliefs"] is None
        return
    assert (guarantee["epsilon"], guarantee["delta"]) == (case.total.epsilon, case.total.delta)
    for steps, about in ((1, "presence"), (2, "value")):
        stated = guarantee["beliefs"][about]
        at_most, beyond = becomes(case.total, 0.1, steps)
        assert stated["at_most"] == pytest.approx(at_most)
        if at_most < 1:
            assert stated["chance_beyond"] == pytest.approx(beyond)
    assert (guarantee["population"] is None) == (case.plan.sampling is None)
    if guarantee["population"] is not None:
        p, epsilon = case.plan.sampling or 1.0, case.total.epsilon
        assert guarantee["population"]["neighbours"] == "populations"
        assert guarantee["population"]["epsilon"] == pytest.approx(
            math.log1p(p * math.expm1(epsilon))
        )
        assert guarantee["population"]["delta"] == pytest.approx(p * case.total.delta)


@pytest.mark.parametrize("name", PLANS)
def test_formulas_come_to_the_figures(name: str) -> None:
    guarantee, case = said(name)
    made, plan = case.made, case.plan
    found = {each["of"]: each["text"] for each in guarantee["formula"]}
    figures = rf"\({N}, {N}\)"
    for of, text in found.items():
        match of:
            case "one attempt":
                assert made.seeds is not None
                stated = re.search(rf"= {N}; .* = {N}, k = {N}, t = {N}, n = {N}$", text)
                assert stated is not None
                assert upwards(stated[1], made.seeds.attempt.epsilon)
                assert upwards(stated[2], made.seeds.attempt.delta)
                assert stated[3].replace(",", "") == str(plan.test.k)
                assert stated[4].replace(",", "") == str(made.seeds.t)
            case "one released record":
                assert made.seeds is not None
                assert _stated(text, figures, made.seeds.each)
            case "composition":
                assert made.seeds is not None
                assert text.startswith(f"N = {made.seeds.count:,} ")
                assert _stated(text, figures, made.seeds.record)
            case "pass cap":
                cap = 1 / ((plan.seeds_at_least + 1) * math.exp(made.seeds.attempt.epsilon)
                           - plan.seeds_at_least)  # fmt: skip
                stated = re.search(rf"= {N}, n", text)
                assert stated is not None
                assert upwards(stated[1], cap)
            case "stopping":
                assert f"A = {made.attempts_at_most:,} attempts" in text
                assert f"m = {plan.attempts:,}, c = {plan.pass_floor:g}" in text
            case "the whole release, for one record":
                stated = re.match(rf"ε = {N} with", text)
                assert stated is not None
                assert upwards(stated[1], made.record.epsilon)
                listed = re.findall(rf"{N}, {N}(?:;|$)", text)
                each_part = [(Decimal(p), Decimal(each.replace(",", ""))) for p, each in listed]
                mean = 1 + sum(p * (epsilon.exp() - 1) for p, epsilon in each_part)
                assert float(mean.ln()) == pytest.approx(made.record.epsilon, rel=1e-3)
            case "a person":
                assert _stated(text, figures, made.total)
                assert f"g = {plan.records_per_person}" in text
                assert plan.records_per_person > 1
            case "the population":
                assert made.population is not None
                assert _stated(text, figures, made.population)
                assert f"p = {plan.sampling:g}" in text
            case _:
                pytest.fail(f"a formula of {of}, which nothing looks at")
    assert (found == {}) == (not case.total.bounded)


def _stated(text: str, figures: str, budget: Budget) -> bool:
    """Whether the first pair of figures is this one."""
    stated = re.search(figures, text)
    assert stated is not None
    return upwards(stated[1], budget.epsilon) and upwards(stated[2], budget.delta)


RUNS = {
    "one": [Spend(Budget(1.0, 1e-9))],
    "two": [Spend(Budget(1.0, 1e-9)), Spend(Budget(0.3, 1e-9))],
    "samples": [Spend(Budget(0.1, 1e-9), 1, 0.1)] * 3,
    "of many records": [Spend(Budget(0.2, 1e-12)), Spend(Budget(0.1, 1e-12), 4)],
    "beyond any ε": [Spend(Budget(1.0, 1e-9), 1), Spend(Budget(0.01, 1e-30), 100)],
    "a hundred": [Spend(Budget(0.5, 1e-9))] * 100,
}


def extract(spends: list[Spend], unpromised: int = 0) -> LedgerExtract:
    plan = Plan.of(SCHEMA, **SEEDLESS)
    return LedgerExtract(
        make_debit(plan_run(plan, SCHEMA)), add_up(spends), add_up_population(spends), None,
        Neighbours.TABLES, len(spends) + unpromised, unpromised, 1, "0" * 64, "1" * 64,
    )  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_what_all_runs_come_to_is_said_beside_what_one_does(name: str) -> None:
    found = extract(RUNS[name])
    text = cumulative_sentences(found)
    if len(RUNS[name]) == 1:
        assert text is None
        return
    assert text is not None
    others = len(RUNS[name]) - 1
    start = f"The ledger knows {others} other run{'s' * (others > 1)} on the same data. "
    assert text.startswith(start)
    rest = text.removeprefix(start)
    if not found.spent.bounded:
        assert rest.startswith("Nothing bounds what all of them together show")
        return
    sums = f"All {found.runs} together come to {spell_budget(found.spent)}. "
    assert rest.startswith(sums)
    epsilon, delta = (
        sum(each.record.epsilon for each in RUNS[name]),
        sum(each.record.delta for each in RUNS[name]),
    )
    if all(each.records_per_person == 1 for each in RUNS[name]):
        assert found.spent.epsilon == pytest.approx(epsilon)
        assert found.spent.delta == pytest.approx(delta)
    _, case = said("one")
    assert unfit([rest.removeprefix(sums)], case.together(found.spent)) == []


def test_no_total_is_made_of_runs_that_promise_nothing() -> None:
    text = cumulative_sentences(extract(RUNS["two"], unpromised=2))
    assert text is not None
    assert "Nothing bounds" in text
    assert "2 of the 4 promise nothing" in text
    assert not any(each in text for each in AMOUNTS_TO.values())


def test_a_demonstration_says_that_it_is_one_and_nothing_else() -> None:
    plan = Plan.of(SCHEMA, **PLANS["one"][0])
    made = stated(plan, SCHEMA, released=12, sha256="0" * 64, stained=True)["guarantee"]
    assert made["statement"] == STAIN
    assert (made["strength"], made["beliefs"], made["population"]) == ("none", None, None)
    assert made["assumes"] == made["not_covered"] == made["reader_sees"] == []


CHANGES = [
    ("19.2 %", "19.1 %"), ("33.5 %", "33.4 %"), ("1 in 2.6 million", "1 in 2.7 million"),
    ("δ = 1e-9", "δ = 1e-10"), ("moderate promise", "strong promise"), ("2.118", "2.117"),
    ("e^0.75", "e^0.74"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), CHANGES)
def test_the_oracle_notices_a_figure_that_is_understated(one: str, other: str) -> None:
    guarantee, case = said("outside")
    assert one in guarantee["statement"]
    assert unfit([guarantee["statement"].replace(one, other)], case) != []


def test_the_oracle_notices_a_statement_of_another_plan() -> None:
    for one, other in (("one", "five"), ("records only", "one attempt"), ("one", "a large δ")):
        assert unfit(told(said(one)[0]), said(other)[1]) != []
    guarantee, case = said("one, a sample")
    amplified = replace(case, total=case.population or case.total)
    assert unfit(told(guarantee), amplified) != []
