"""Simulated tables whose records obey rules: persons, stays in a hospital, and a long
questionnaire."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.declared_reading import usual
from understudy.table.encoding import encode_public
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

Texts = npt.NDArray[np.str_]

_NOT_ASKED = (MissingCode(values=("-8",), label="not applicable"),)


def _listed(name: str, *values: str, asked: bool = True) -> Column:
    """Return a column of categories; of some who are not asked where it says so."""
    codes = () if asked else _NOT_ASKED
    domain = Categories(values=values)
    if asked:
        return Column(name=name, domain=domain)
    return Column(name=name, domain=domain, missing=True, missing_codes=codes)


def _counted(name: str, most: int, width: int = 1, *, asked: bool = True) -> Column:
    """Return a column of whole numbers from 0 on, in buckets of a width."""
    domain = Grid(minimum=Decimal(0), maximum=Decimal(most))
    buckets = ByWidth(width=Decimal(width))
    if asked:
        return Column(name=name, domain=domain, buckets=buckets)
    return Column(name=name, domain=domain, buckets=buckets, missing=True, missing_codes=_NOT_ASKED)


def _of(schema: Schema, texts: Mapping[str, npt.NDArray[np.generic]]) -> Records:
    """Return records by the texts of their columns."""
    columns = []
    for name in schema.names:
        distinct, places = np.unique(texts[name].astype(str), return_inverse=True)
        columns.append(text_column(places.astype(np.int64), distinct.tolist()))
    return encode_public(RawTable(table_of(schema.names, columns), usual("csv")), schema)


def _choose(random: np.random.Generator, logits: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Draw a category for each record from its logits, (n, categories)."""
    noise = random.gumbel(size=logits.shape)
    return np.asarray((logits + noise).argmax(axis=1))


def persons_schema() -> Schema:
    """Return sixteen columns of a census, with nine rules."""
    columns = (
        _counted("age", 95, 5),
        _listed("sex", "f", "m"),
        _listed("marital", "single", "married", "separated", "divorced", "widowed"),
        _counted("years_married", 70, 10, asked=False),
        _listed("work", "employed", "seeking", "student", "home", "retired", asked=False),
        _counted("hours", 80, 10, asked=False),
        _listed("income", *"123456789", asked=False),
        _listed("education", *"01234567"),
        _listed("licence", "no", "yes"),
        _listed("smoker", "no", "yes"),
        _counted("cigarettes", 60, 10, asked=False),
        _counted("children", 8, 1),
        _listed("region", *"abcdefghij"),
        _listed("tenure", "owned", "rented", "communal"),
        _listed("cars", "0", "1", "2", "3", asked=False),
        _listed("health", "good", "fair", "bad"),
    )
    rules = (
        'if (age < 16) marital == "single" & is.na(work) & children == 0',
        "(age < 16) == is.na(income)",
        '(marital == "single") == is.na(years_married)',
        "years_married <= age - 16",
        '(work == "employed" & !is.na(work)) == (!is.na(hours))',
        'if (age < 17) licence == "no"',
        '(smoker == "yes") == (!is.na(cigarettes))',
        'if (age < 12) smoker == "no"',
        '(tenure == "communal") == is.na(cars)',
    )
    return Schema(columns=columns, rules=tuple(Rule(text=text) for text in rules))


def make_persons(count: int, seed: int) -> Records:
    """Return records of `persons_schema`."""
    random = np.random.default_rng(seed)
    age = np.minimum(95, random.gamma(3.2, 13, count)).astype(int)
    sex = random.integers(0, 2, count)
    grown = age >= 16
    zero = np.zeros(count)
    stage = np.stack(
        [zero + 3 - age / 12, zero + age / 25, zero - 2.0, age / 30 - 2.2, age / 12 - 6.5], axis=1
    )
    marital = np.where(grown, _choose(random, stage), 0)
    lasted = np.minimum(70, random.beta(2, 2, count) * (age - 16)).astype(int)
    years = np.where(marital > 0, lasted, -8)
    old = (age - 62) / 3
    work = _choose(
        random,
        np.stack([zero + 1.5, zero - 1, 3 - age / 6, zero - 0.5 + 0.8 * (sex == 0), old], axis=1),
    )
    work = np.where(grown, work, -8)
    hours = np.clip(random.normal(38 - 6 * (sex == 0), 8, count), 1, 80).astype(int)
    education = _choose(random, -np.abs(np.arange(8) - np.minimum(age / 4, 5)[:, None]) / 1.4)
    pay = education * 0.5 + 1.5 * (work == 0) + random.normal(0, 1, count)
    income = np.where(grown, np.clip(np.round(1 + pay * 1.4), 1, 9).astype(int), -8)
    licence = np.where(age >= 17, random.random(count) < 0.8 - 0.2 * (age > 75), 0).astype(int)
    smoker = np.where(age >= 12, random.random(count) < 0.3 - 0.03 * education, 0).astype(int)
    cigarettes = np.minimum(60, random.gamma(2.5, 6, count)).astype(int)
    children = np.where(grown, np.minimum(8, random.poisson(0.9 * (marital > 0) + 0.1)), 0)
    region = random.choice(10, count, p=np.arange(1, 11) / 55)
    tenure = _choose(
        random, np.stack([zero + income / 5, zero + 0.5 * (region > 5), zero - 3], axis=1)
    )
    cars = np.clip(np.round(random.normal(income / 4, 0.7, count)), 0, 3).astype(int)
    health = _choose(random, np.stack([zero + 2 - age / 50, zero + 0.2, age / 60 - 1.5], axis=1))

    def named(values: str, codes: npt.NDArray[np.int64]) -> Texts:
        words = np.array([*values.split(), "-8"])
        return np.asarray(words[np.where(codes < 0, len(words) - 1, codes)])

    texts = {
        "age": age,
        "sex": named("f m", sex),
        "marital": named("single married separated divorced widowed", marital),
        "years_married": years,
        "work": named("employed seeking student home retired", work),
        "hours": np.where(work == 0, hours, -8),
        "income": income,
        "education": education,
        "licence": named("no yes", licence),
        "smoker": named("no yes", smoker),
        "cigarettes": np.where(smoker == 1, cigarettes, -8),
        "children": children,
        "region": named("a b c d e f g h i j", region),
        "tenure": named("owned rented communal", tenure),
        "cars": np.where(tenure == 2, -8, cars),
        "health": named("good fair bad", health),
    }
    return _of(persons_schema(), texts)


_FIRST, _LAST = date(2010, 1, 1), date(2019, 12, 31)


def stays_schema() -> Schema:
    """Return twelve columns of stays in a hospital, three of them dates, with eight rules."""

    def days(name: str, first: str, last: date, *, asked: bool = True) -> Column:
        domain = Dates.read({"minimum": first, "maximum": last.isoformat(), "step": "month"})
        if asked:
            return Column(name=name, domain=domain)
        return Column(name=name, domain=domain, missing=True, missing_codes=_NOT_ASKED)

    def amount(name: str) -> Column:
        domain = Continuous(
            minimum=Decimal(0), maximum=Decimal(20_000), precision=Decimal(1), step=Decimal(500)
        )
        return Column(name=name, domain=domain)

    columns = (
        days("birth", "1920-01-01", _LAST),
        days("admission", _FIRST.isoformat(), _LAST),
        days("discharge", _FIRST.isoformat(), _LAST),
        _listed("sex", "f", "m"),
        _listed("ward", "medicine", "surgery", "obstetrics", "paediatrics", "psychiatry"),
        _listed("emergency", "no", "yes"),
        _listed("outcome", "home", "transferred", "died"),
        _listed("to_ward", "medicine", "surgery", "care", asked=False),
        _listed("diagnosis", *(f"d{place:02}" for place in range(30))),
        amount("care"),
        amount("drugs"),
        amount("total"),
    )
    rules = (
        "birth <= admission",
        "admission <= discharge",
        "discharge - admission <= 365",
        'if (ward == "obstetrics") sex == "f"',
        '(outcome == "transferred") == (!is.na(to_ward))',
        "care + drugs <= total",
        'if (ward == "paediatrics") admission - birth <= 6575',
        'if (diagnosis %in% c("d00", "d01", "d02")) ward == "obstetrics"',
    )
    return Schema(columns=columns, rules=tuple(Rule(text=text) for text in rules))


def make_stays(count: int, seed: int) -> Records:
    """Return records of `stays_schema`."""
    random = np.random.default_rng(seed)
    span = (_LAST - _FIRST).days - 366
    season = random.random(count) < 0.5
    admission = (random.beta(1.4, 1, count) * span).astype(int)
    admission = np.where(season, admission // 365 * 365 + random.integers(0, 120, count), admission)
    sex = random.integers(0, 2, count)
    zero = np.zeros(count)
    ward = _choose(
        random,
        np.stack([zero + 1, zero + 0.6, zero - 9 * (sex == 1), zero - 0.8, zero - 1], axis=1),
    )
    years = np.clip(random.normal(58, 18, count), 0, 89)
    years = np.where(ward == 2, np.clip(random.normal(30, 5, count), 16, 46), years)
    years = np.where(ward == 3, random.random(count) * 17.9, years)
    birth = np.maximum(admission - (years * 365.25).astype(int), -32_873)
    emergency = random.random(count) < 0.3 + 0.3 * (ward == 0)
    length = np.minimum(365, random.gamma(1.2, 4 + 8 * (ward == 4) + 2 * emergency)).astype(int)
    outcome = _choose(
        random, np.stack([zero + 2.5, zero + 0.3 * emergency, years / 30 - 2.5], axis=1)
    )
    diagnosis = np.where(
        ward == 2, random.integers(0, 3, count), 3 + (random.beta(1, 2, count) * 27).astype(int)
    )
    care = np.minimum(12_000, 150 + length * random.normal(380, 60, count).clip(100)).astype(int)
    drugs = np.minimum(6_000, random.gamma(1.5, 60 + 10 * length)).astype(int)
    further = np.minimum(2_000, random.gamma(1, 120, count)).astype(int)

    def day(numbers: npt.NDArray[np.int64]) -> Texts:
        distinct, places = np.unique(numbers, return_inverse=True)
        written = [(_FIRST + timedelta(days=int(each))).isoformat() for each in distinct]
        return np.array(written)[places]

    def named(values: str, codes: npt.NDArray[np.int64]) -> Texts:
        return np.array(values.split())[codes]

    texts = {
        "birth": day(birth),
        "admission": day(admission),
        "discharge": day(admission + length),
        "sex": named("f m", sex),
        "ward": named("medicine surgery obstetrics paediatrics psychiatry", ward),
        "emergency": named("no yes", emergency.astype(int)),
        "outcome": named("home transferred died", outcome),
        "to_ward": np.where(
            outcome == 1, named("medicine surgery care", random.integers(0, 3, count)), "-8"
        ),
        "diagnosis": np.array([f"d{place:02}" for place in range(30)])[diagnosis],
        "care": care,
        "drugs": drugs,
        "total": care + drugs + further,
    }
    return _of(stays_schema(), texts)


_BLOCKS = 6
_QUESTIONS = 6


def questionnaire_schema() -> Schema:
    """Return 42 columns: six gates, and behind each six questions that only some are asked; of
    three kinds of house one is lived in."""
    columns, rules = [], []
    for block in range(_BLOCKS):
        gate = f"gate{block}"
        columns.append(_listed(gate, "no", "yes"))
        names = [f"q{block}{question}" for question in range(_QUESTIONS)]
        columns += [_listed(name, "1", "2", "3", "4", asked=False) for name in names]
        together = " & ".join(f'((is.na({name})) == ({gate} == "no"))' for name in names)
        rules.append(together)
    first = '(q00 == "4") + (q01 == "4") + (q02 == "4")'
    rules += [f"{first} <= 1", 'if (gate0 == "no") gate1 == "no"', 'if (q10 == "1") q11 != "4"']
    return Schema(columns=tuple(columns), rules=tuple(Rule(text=text) for text in rules))


def make_questionnaire(count: int, seed: int) -> Records:
    """Return records of `questionnaire_schema`."""
    random = np.random.default_rng(seed)
    texts: dict[str, npt.NDArray[np.generic]] = {}
    mood = random.normal(0, 1, count)
    before = np.ones(count, dtype=bool)
    for block in range(_BLOCKS):
        asked = (random.random(count) < 1 / (1 + np.exp(-0.3 - 0.7 * mood))) & (
            before if block == 1 else True
        )
        before = asked
        texts[f"gate{block}"] = np.where(asked, "yes", "no")
        full = np.zeros(count, dtype=int)
        for question in range(_QUESTIONS):
            answer = np.clip(np.round(2.5 + 0.8 * mood + random.normal(0, 0.8, count)), 1, 4)
            answer = answer.astype(int)
            if block == 0 and question < 3:
                answer = np.where((answer == 4) & (full > 0), 3, answer)
                full += answer == 4
            if block == 1 and question == 1:
                low = texts["q10"].astype(str) == "1"
                answer = np.where(low & (answer == 4), 3, answer)
            texts[f"q{block}{question}"] = np.where(asked, answer.astype(str), "-8")
    return _of(questionnaire_schema(), texts)
