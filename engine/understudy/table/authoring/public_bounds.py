"""Bounds that everybody knows, of quantities recognised by the name and the label of a column: an
age, a year, a body height, a percentage, the hours of a week and others. And what is done where
none is recognised and few values lie far beyond all others.

Bounds read off a file follow its worst mistake: one body-mass index of 450 makes most of what can
be released impossible. Whether a quantity fits a column is told from how many records have each
number, and not from their order. Computed from confidential records: a suggestion, which the
custodian confirms.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from understudy.table.authoring.probable_codes import looks_like_code

Counts = Mapping[Decimal, int]
"""How many records have each number. Confidential."""

_MOST_OUTSIDE: Final = Decimal("0.02")
"""The largest share of records outside of bounds that fit."""
_MOST_CODES: Final = 8
_CENTURY: Final = 100
_DECADE: Final = 10
_FEWEST_RECORDS: Final = 20
"""With fewer, nothing is far from the others."""
_TAIL: Final = 200
"""One in so many records, and at least one, is left out at each end of the bulk."""
_FAR: Final = 5
"""So many times longer than the bulk is a range that is stretched."""
_TIMES: Final = ((1000, "more than a thousand times"), (100, "more than a hundred times"),
                 (10, "more than ten times"), (0, "several times"))  # fmt: skip


@dataclass(frozen=True)
class _Range:
    """Bounds of a quantity in some unit.

    Attributes:
        low, high: the bounds.
        unit: words that say the unit; "" where there is only one.
        middle: between which the middle value lies, unless the unit is said; None for anywhere.
    """

    low: Decimal
    high: Decimal
    unit: str = ""
    middle: tuple[Decimal, Decimal] | None = None


def _range(low: str, high: str, unit: str = "", middle: tuple[str, str] | None = None) -> _Range:
    between = None if middle is None else (Decimal(middle[0]), Decimal(middle[1]))
    return _Range(Decimal(low), Decimal(high), unit, between)


@dataclass(frozen=True)
class _Quantity:
    """A quantity whose bounds everybody knows.

    Attributes:
        phrase: what a person calls it.
        named: a pattern that the words of a name or a label have.
        ranges: its bounds, in one unit or several.
        unless: a pattern of words of another quantity.
        whole: whether it has whole numbers only.
        listed: whether it is a range even where few different numbers occur.
    """

    phrase: str
    named: str
    ranges: tuple[_Range, ...]
    unless: str = ""
    whole: bool = False
    listed: bool = False


_OTHER: Final = (
    r"group|grp|class|category|cat|band|bracket|code|score|(?<!mass )index|rank|percentile|"
    r"quantile|decile|log|change|difference|diff|growth|ratio|income|wage|salary|earnings|price|"
    r"cost|amount|pay|"
    r"gruppe|klasse|anderung|wachstum|einkommen|lohn|groupe|classe|categorie|croissance|revenu|"
    r"grupo|clase|categoria|crecimiento|ingreso|salario"
)
"""Words of what has no known bounds, whatever else is said: incomes, groups, scores."""
_COUNT: Final = (
    r"number|num|no|nr|nb|n|count|anzahl|nombre|numero|how many|wie viele|combien|cuantos"
)
_IN_INCHES: Final = r"in|inch|inches|ft|feet|foot|zoll"
_IN_POUNDS: Final = r"lb|lbs|pound|pounds|oz|g|gram|grams|gramm|grammes"
_DESIGN: Final = r"survey|sample|sampling|design|birth|person|household|hh|final|tree|car|vehicle"
_NOT_YEARS: Final = (
    r"months?|weeks?|days?|monate?n?|tage|wochen|mois|jours|meses|dias|minutes?|hours?"
)

_CENTURIES: Final = (_range("1500", "2100"),)
_QUANTITIES: Final = (
    _Quantity(
        "a body-mass index",
        r"bmi|imc|body mass index|korpermasse?index|indice de mass?[ae] corpor(elle|al)",
        (_range("10", "80", middle=("13", "45")),),
    ),
    _Quantity(
        "a year of birth",
        r"(year|yr) of birth|birth ?(year|yr)|yob|geburtsjahr|annee de naissance|"
        r"ano de nacimiento",
        _CENTURIES,
        whole=True,
    ),
    _Quantity("a year", r"year|yr|jahr|annee|ano|anio", _CENTURIES, whole=True),
    _Quantity(
        "a month",
        r"month|monat|mois|mes",
        (_range("1", "12"),),
        unless=_COUNT + r"|age|per|pro|par|por|duration|ago|since|last",
        whole=True,
        listed=True,
    ),
    _Quantity(
        "a day of the week",
        r"weekday|wday|dow|day of (the )?week|wochentag|jour de la semaine|dia de la semana",
        (_range("1", "7"), _range("0", "6")),
        whole=True,
        listed=True,
    ),
    _Quantity(
        "a day of the month",
        r"mday|day of (the )?month|^day$|birth day|day of birth|tag des monats|^tag$|"
        r"jour du mois|^jour$|dia del mes|^dia$",
        (_range("1", "31"),),
        whole=True,
        listed=True,
    ),
    _Quantity(
        "the hours of a week",
        r"(hours?|hrs?|stunden|heures|horas)\b.*\b(week|wk|woche|semaine|semana)|"
        r"week(ly)? hours|hours weekly|wochenstunden|wochenarbeitszeit|working hours|hours worked|"
        r"heures travaillees|horas trabajadas",
        (_range("0", "168"),),
        unless=r"year|month|jahr|monat|annee|mois|ano|mes",
    ),
    _Quantity(
        "the hours of a day",
        r"(hours?|hrs?|stunden|heures|horas)\b.*\b(day|night|tag|nacht|jour|nuit|dia|noche)|"
        r"hours of sleep|sleep hours|schlafstunden",
        (_range("0", "24"),),
        unless=r"week|woche|semaine|semana|days|tage|jours|dias",
    ),
    _Quantity(
        "an hour of the day",
        r"hour|stunde|heure|hora",
        (_range("0", "23"),),
        unless=_COUNT + r"|per|pro|par|por",
        whole=True,
        listed=True,
    ),
    _Quantity(
        "a minute of an hour",
        r"minute|minuto",
        (_range("0", "59"),),
        unless=_COUNT + r"|per|pro|par|por",
        whole=True,
    ),
    _Quantity(
        "the size of a household",
        r"household ?size|hh ?size|family ?size|size of (the )?(household|family)|"
        r"(persons|people|members) in (the )?(household|family)|haushaltsgrosse|"
        r"taille du menage|tamano del hogar",
        (_range("1", "20"),),
        whole=True,
        listed=True,
    ),
    _Quantity(
        "a number of children",
        r"children|kids|nchild(ren)?|kinder|kinderzahl|nombre d enfants|enfants|hijos",
        (_range("0", "15"),),
        unless=r"age|aged|year|alter|years|cost|hours?|with|without|percent",
        whole=True,
        listed=True,
    ),
    _Quantity(
        "years of schooling",
        r"years? of (full time )?(schooling|education|school)|school ?years?|education years|"
        r"yrs educ|educ yrs|educ years|years educ|schuljahre|bildungsjahre|annees d etudes|"
        r"annees de scolarite|anos de (escolaridad|estudios?|educacion)",
        (_range("0", "30"),),
    ),
    _Quantity(
        "an age",
        r"age|alter|edad|ageyears|years old",
        (_range("0", "120"),),
        unless=_NOT_YEARS + "|" + _COUNT,
    ),
    _Quantity(
        "a body height",
        r"height|stature|korpergrosse|grosse|taille|estatura|talla",
        (
            _range("30", "250", "cm|centimet(er|re)s?|zentimeter", ("85", "200")),
            _range("0.3", "2.5", "m|met(er|re)s?", ("0.85", "2")),
        ),
        unless=_IN_INCHES + r"|sitting|tree|building|floor",
    ),
    _Quantity(
        "a body weight in kilograms",
        r"weight|korpergewicht|gewicht|poids|peso|kg|bodyweight",
        (_range("0", "300", "kg|kilos?|kilograms?|kilogramm", ("40", "110")),),
        unless=_IN_POUNDS + "|" + _DESIGN,
    ),
    _Quantity(
        "a body temperature",
        r"(body )?temp(erature?)?|korpertemperatur|fieber|fever|temperatura( corporal)?",
        (
            _range("30", "45", middle=("36", "38.5")),
            _range("86", "113", middle=("96.5", "101")),
        ),
        unless=r"air|water|room|outdoor|outside|luft|wasser",
    ),
    _Quantity(
        "a blood pressure",
        r"systolic|diastolic|sbp|dbp|bp|trestbps|blood pressure|blutdruck|systolisch|diastolisch|"
        r"(pression|tension) arterielle|presion arterial|sistolica|diastolica",
        (_range("20", "300", middle=("50", "190")),),
    ),
    _Quantity(
        "a heart rate",
        r"heart ?rate|pulse|hr|bpm|herzfrequenz|puls|frequence cardiaque|pouls|"
        r"frecuencia cardiaca|pulso",
        (_range("20", "250", middle=("45", "200")),),
    ),
    _Quantity("a pH", r"ph|ph ?value|ph wert", (_range("0", "14"),)),
    _Quantity("a latitude", r"latitude?|lat|breitengrad|latitud", (_range("-90", "90"),)),
    _Quantity("a longitude", r"longitude?|lon|lng|langengrad", (_range("-180", "180"),)),
    _Quantity(
        "a share of one",
        r"percent|percentage|pct|prozent|pourcent|pourcentage|porcentaje|proportion|fraction|"
        r"probability|share|anteil|wahrscheinlichkeit|proporcion|fraccion",
        (_range("0", "1"),),
    ),
    _Quantity(
        "a percentage",
        r"percent|percentage|per cent|pct|prozent|pour ?cent|pourcentage|porcentaje|por ciento",
        (_range("0", "100", middle=("0", "100")),),
    ),
)
"""In the order in which they are tried, the more special first."""


@dataclass(frozen=True)
class PublicBounds:
    """Bounds that everybody knows, for a column whose numbers nearly all lie within them.

    Attributes:
        phrase: what the column holds, in words.
        low, high: the bounds.
        listed: whether they are a range even where few different numbers occur.
        codes: the numbers outside them that look like codes for missing.
        some_below, some_above: whether other numbers lie outside.
    """

    phrase: str
    low: Decimal
    high: Decimal
    listed: bool = False
    codes: frozenset[Decimal] = frozenset()
    some_below: bool = False
    some_above: bool = False

    @property
    def is_century(self) -> bool:
        """Whether the bounds follow from the file, to whole decades."""
        return self.high > _CENTURIES[0].low

    @property
    def note(self) -> str:
        """Where the bounds are from, in a sentence or two for the custodian."""
        ends = f"{self.low:f} to {self.high:f}"
        if self.is_century:
            said = (
                f"By its name it is {self.phrase}. The bounds, {ends}, are whole decades around "
                "what the file has: check that none of them is impossible."
            )
        else:
            said = (
                f"The bounds, {ends}, are usual for {self.phrase}, which by its name it is. If it "
                "is something else, replace them."
            )
        sides = [
            *(["below"] if self.some_below else []),
            *(["above"] if self.some_above else []),
        ]
        if sides:
            said += (
                f" A few of its values lie {' and '.join(sides)}: say what becomes of values "
                "outside, or widen the bounds if these values can be right."
            )
        return said


def find_public_bounds(name: str, title: str, counts: Counts) -> PublicBounds | None:
    """Return the bounds of the quantity that a column is called by; None where it is called by
    none, or more than a few of its numbers are impossible for it.

    Args:
        name: of the column.
        title: its label; may be empty.
        counts: how many records have each number, those that stand for missing left out.
    """
    if not counts:
        return None
    called = [words for words in (_split_words(name), _split_words(title)) if words]
    if any(_has(words, _OTHER) for words in called):
        return None
    both = " ".join(called)
    whole = all(number == number.to_integral_value() for number in counts)
    for quantity in _QUANTITIES:
        if not any(_has(words, quantity.named) for words in called):
            continue
        if quantity.unless and _has(both, quantity.unless):
            continue
        for bounds in quantity.ranges:
            public = _fit(quantity, bounds, both, counts)
            if public is not None and (whole or not quantity.whole):
                return public
    return None


def _fit(quantity: _Quantity, bounds: _Range, words: str, counts: Counts) -> PublicBounds | None:
    """Return the bounds of a quantity where nearly all numbers lie within them."""
    inside = {
        number: count for number, count in counts.items() if bounds.low <= number <= bounds.high
    }
    outside = {number: count for number, count in counts.items() if number not in inside}
    codes = frozenset(number for number in outside if looks_like_code(number))
    if len(codes) > _MOST_CODES:
        codes = frozenset()
    strange = {number: count for number, count in outside.items() if number not in codes}
    records = sum(inside.values()) + sum(strange.values())
    if not inside or sum(strange.values()) > _MOST_OUTSIDE * records:
        return None
    one = bounds.high <= 1
    if one and (strange or codes or all(number in (0, 1) for number in inside)):
        return None
    said = bounds.unit and _has(words, bounds.unit)
    if bounds.middle is not None and not said:
        least, most = bounds.middle
        if not least <= _find_middle(inside) <= most:
            return None
    low, high = bounds.low, bounds.high
    if quantity.ranges is _CENTURIES:
        low, high = _find_century(inside)
        strange |= {number: count for number, count in inside.items() if not low <= number <= high}
    return PublicBounds(
        quantity.phrase,
        low,
        high,
        listed=quantity.listed,
        codes=codes,
        some_below=any(number < low for number in strange),
        some_above=any(number > high for number in strange),
    )


def _find_century(counts: Counts) -> tuple[Decimal, Decimal]:
    """Return as few whole centuries as hold all years but those far from the others, to the end of
    the last one's decade."""
    far = find_far_numbers(counts)
    least, most = (min(counts), max(counts)) if far is None else (far.low, far.high)
    high = (most / _DECADE).to_integral_value(ROUND_FLOOR) * _DECADE + _DECADE
    low = high - _CENTURY
    while low > least:
        low -= _CENTURY
    return low, high


def _find_middle(counts: Counts) -> Decimal:
    """Return the lower median."""
    return _at_place(counts, (sum(counts.values()) - 1) // 2)


def _at_place(counts: Counts, place: int) -> Decimal:
    """Return the number at a place of all records ordered by it."""
    for number in sorted(counts):
        place -= counts[number]
        if place < 0:
            return number
    return max(counts)


@dataclass(frozen=True)
class FarNumbers:
    """A few numbers far beyond nearly all others.

    Attributes:
        low, high: the least and the largest of the others.
        below, above: how many times as far as the others reach the far ones lie, in words; "" where
            there is none at that end.
    """

    low: Decimal
    high: Decimal
    below: str = ""
    above: str = ""

    @property
    def note(self) -> str:
        """What is unsure about the bounds, in sentences for the custodian, without the numbers."""
        ends = [*_describe_end("below", self.below), *_describe_end("above", self.above)]
        return (
            f"A few values lie far {' and far '.join(ends)}. The suggested bounds leave them out: "
            "with them, most of what can be released would be values that nobody has. Are they "
            "right? Widen the bounds. Are they mistakes? Say what becomes of values outside. Do "
            "they stand for missing? Make them codes for missing."
        )


def _describe_end(side: str, times: str) -> Iterator[str]:
    if times:
        yield f"{side} all others, {times} as far off as these lie apart"


def find_far_numbers(counts: Counts) -> FarNumbers | None:
    """Return what is known of a few numbers that stretch the range to many times that of nearly all
    records; None where there are none.

    A number that more than half of the records have, as the 0 of an amount that few people have,
    does not count as the bulk.
    """
    ordered = sorted(counts)
    all_records = sum(counts.values())
    rest = {number: count for number, count in counts.items() if 2 * count <= all_records}
    records = sum(rest.values())
    if records < _FEWEST_RECORDS:
        return None
    tail = max(1, records // _TAIL)
    first, last = _at_place(rest, tail), _at_place(rest, records - 1 - tail)
    bulk = last - first
    if not bulk or ordered[-1] - ordered[0] <= _FAR * bulk:
        return None
    near = [number for number in ordered if first - bulk <= number <= last + bulk]
    near += [number for number in ordered if number not in rest]
    low, high = min(near), max(near)
    below = _describe_times((low - ordered[0]) / bulk) if ordered[0] < low else ""
    above = _describe_times((ordered[-1] - high) / bulk) if ordered[-1] > high else ""
    return FarNumbers(low, high, below, above) if below or above else None


def _describe_times(ratio: Decimal) -> str:
    return next(words for least, words in _TIMES if ratio >= least)


def _has(words: str, pattern: str) -> bool:
    """Return whether words fit a pattern, each as a whole."""
    anchored = pattern.replace("^", r"\A").replace("$", r"\Z")
    return re.search(rf"\b(?:{anchored})\b", words) is not None


def _split_words(text: str) -> str:
    """Return the words of a name or a label in small letters, without accents and with a blank
    between two: “birthYear_2” is “birth year”."""
    text = re.sub(r"\bpH", "ph", text.replace("%", " percent "))
    text = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", text)
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[a-z]+", bare))
