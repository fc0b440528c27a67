"""What every sentence of a statement says in figures, or when it may stand: a separate oracle.

Each rule is a sentence with its figures taken out, and a check of these figures against numbers
worked out anew from the settings, or against the condition under which the sentence is true. A
sentence that fits no rule, or whose numbers are not all looked at, is no sentence of a statement.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from scipy.stats import binom

from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.privacy.budget import Budget
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
