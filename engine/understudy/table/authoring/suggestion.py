"""A first schema, suggested from a file for a person to correct; with round bounds and buckets.

The suggestion is computed from confidential records, although its bounds are rounded outward. Where
the file has labels for codes, as those of statistics programs do, all labelled codes are suggested,
whether they occur or not. It may be used only after the custodian has replaced it by what is
publicly known and declared it public. Each column's notes say what to look at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain

import numpy as np

from understudy.core.refusal import Refusal
from understudy.table.authoring.number_ranges import (
    FEW_VALUES,
    FROM_FILE,
    ChosenRange,
    choose_range,
    choose_spelt_range,
    with_usual_buckets,
)
from understudy.table.authoring.probable_codes import (
    find_probable_codes,
    group_declared,
    is_top_code,
    label_codes,
    says_missing,
)
from understudy.table.authoring.public_bounds import find_public_bounds
from understudy.table.authoring.settled_columns import derived_columns, settling_columns
from understudy.table.buckets import EachValue
from understudy.table.categories import Categories
from understudy.table.cells import is_unreadable, parse_number
from understudy.table.checks import LONGEST_TEXT, MOST_CATEGORIES
from understudy.table.column import Column, Origin
from understudy.table.domain import Domain
from understudy.table.kinds import recognise_domain
from understudy.table.missing_codes import MISSING_TOKENS, MissingCode, list_missing_texts
from understudy.table.number_spellings import (
    NumberSpelling,
    number_spelling,
    suggest_number_spelling,
)
from understudy.table.raw import Labels, RawTable
from understudy.table.schema import Schema
from understudy.table.sources.odd_rows import find_odd_rows
from understudy.table.sources.positions.reading import described_schema

_LONGEST_TOKEN = 10
_PADDED = re.compile(r"[+-]?0[0-9]+")
_NUMERAL = re.compile(r"\d[\d.,' ]*\d|\d")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBERS_MIXED = 0.9
_ENOUGH_TO_TELL = 20
_AGAIN = 3
"""How often values of a list occur at least, on average."""
_FEWEST_LISTED = 5
"""With fewer different numbers, a month or a number of children may be something else."""
_SETTLED = (
    "“{0}” settles this column: who has the one can work out the other, and made records would "
    "contradict themselves in them. Leave one of them out: this one can be worked out from a "
    "released “{0}” that is not rounded."
)


@dataclass(frozen=True)
class Suggestion:
    """A schema taken from a file. Internal until the custodian declares it public.

    Attributes:
        schema: the suggested columns, not declared.
        notes: per column, sentences on what to look at.
    """

    schema: Schema
    notes: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class DescribedColumn:
    """A column as its texts suggest it. Internal.

    Attributes:
        column: it.
        notes: sentences on what to look at.
    """

    column: Column
    notes: tuple[str, ...]


def suggest_schema(raw: RawTable, leave_out: Collection[str] = ()) -> Suggestion:
    """Suggest a schema for a table.

    Args:
        raw: the table.
        leave_out: columns to skip.

    Raises:
        Refusal: a column is missing throughout, or has more categories than can be used (it
            looks like an identifier), or fewer than two columns remain; `field` is the first
            column concerned.
    """
    unknown = sorted(set(leave_out) - set(raw.names))
    if unknown:
        raise Refusal(
            f"The table has no column “{unknown[0]}” to leave out.",
            "Name columns as the first row of the file does.",
            field="leave_out",
        )
    if raw.reading.positions is not None:
        # What rows that are made of positions may contain is declared with how they are made.
        frame = described_schema(raw.reading.positions).with_reading(raw.reading)
        rest = [
            column.changed(origin="design")
            for column in frame.columns
            if column.name not in leave_out
        ]
        return Suggestion(frame.with_columns(rest), {column.name: () for column in rest})
    raw = without_odd_rows(raw)
    described: list[DescribedColumn] = []
    refusals: list[Refusal] = []
    for name in raw.names:
        if name not in leave_out:
            try:
                described.append(draft_column(raw, name))
            except Refusal as refusal:
                refusals.append(refusal)
    if refusals:
        raise _together(refusals)
    return suggest_together(raw, described)


def draft_column(raw: RawTable, name: str) -> DescribedColumn:
    """Return a column as its texts suggest it.

    Raises:
        Refusal: it is missing throughout, or has more categories than can be used; of the field
            `name`.
    """
    try:
        typed = raw.reading.kind != "csv"
        draft = _Draft(name, _count_texts(raw, name), raw.rows, raw.labels, typed=typed)
        return DescribedColumn(draft.column(), tuple(draft.notes))
    except Refusal as refusal:
        raise _about(name, refusal) from None


def suggest_together(raw: RawTable, described: Sequence[DescribedColumn]) -> Suggestion:
    """Return the schema of a table with these columns, and notes on those that others settle.

    Raises:
        Refusal: they are too few or too many.
    """
    # Of files whose values have types there is mostly nothing to declare.
    said = raw.reading if raw.reading.kind == "csv" or not raw.reading.is_usual else None
    schema = Schema(columns=tuple(each.column for each in described), reading=said)
    notes = {each.column.name: each.notes for each in described}
    for name, other in derived_columns(settling_columns(raw, [*notes]), notes).items():
        notes[name] += (_SETTLED.format(other),)
    return Suggestion(schema, notes)


def without_odd_rows(raw: RawTable) -> RawTable:
    """Return the records of a text file or a workbook, without rows that look like no records."""
    if raw.reading.kind not in ("csv", "excel"):
        return raw
    odd = find_odd_rows(raw).all
    return raw if not len(odd) else raw.take(np.setdiff1d(np.arange(raw.rows), odd))


def respell(column: Column, raw: RawTable, spelling: str) -> Column:
    """Return a column whose texts are said to be written in some way, with bounds and buckets
    suggested anew from a table.

    Raises:
        Refusal: none of its texts is written so; or it is no way to write them.
    """
    raw = without_odd_rows(raw)
    counts = _strip_texts(_count_texts(raw, column.name))
    texts = {text: counts[text] for text in counts if text not in column.missing_values}
    if column.domain.numeric:
        standing = map(parse_number, column.missing_values)
        avoiding = [number for number in standing if number is not None]
        called = column.name, column.title
        spelt = choose_spelt_range(called, texts, number_spelling(spelling), avoiding)
        domain: Domain = spelt.domain
        public = spelt.public
    else:
        domain, public = column.domain.respelt(set(texts), spelling), False
    # Whatever was said of the bounds before was said of others.
    origin: Origin = "bounds" if public else ""
    return with_usual_buckets(
        column.changed(domain=domain, buckets=EachValue(), levels=(), origin=origin, source="")
    )


def _about(name: str, refusal: Refusal) -> Refusal:
    """Return a refusal that names the column it is about."""
    if refusal.field == name:
        return refusal
    return Refusal(
        f"Column “{name}” cannot be described: {refusal.problem}",
        "Leave it out, or change its unit or its texts in the file.",
        field=name,
    )


def _together(refusals: Sequence[Refusal]) -> Refusal:
    """Return one refusal for several columns that cannot be used."""
    if len(refusals) == 1:
        return refusals[0]
    names = ", ".join(str(refusal.field) for refusal in refusals)
    return Refusal(
        " ".join(refusal.problem for refusal in refusals),
        f"Leave these columns out, or correct them in the file: {names}.",
        field=refusals[0].field,
    )


def _count_texts(raw: RawTable, name: str) -> dict[str, int]:
    """Return how many records have each text that occurs in a column."""
    texts, places = raw.distinct(name)
    counts = np.bincount(places, minlength=len(texts)).tolist()
    return {text: records for text, records in zip(texts, counts, strict=True) if records}


def _strip_texts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return how many records have each text that can be read, without blanks around it."""
    stripped: Counter[str] = Counter()
    for text, records in counts.items():
        if not is_unreadable(text):
            stripped[text.strip()] += records
    return dict(stripped)


class _Draft:
    """One column while its description is suggested, with notes for a person."""

    def __init__(
        self, name: str, counts: Mapping[str, int], rows: int, labels: Labels, *, typed: bool
    ) -> None:
        self.name = name
        self._as_text = typed and name in labels.texts
        self._typed = typed and not self._as_text
        self.notes: list[str] = []
        self._title = labels.titles.get(name, "")
        self._zone = labels.zones.get(name, "")
        self._counts = _strip_texts(counts)
        if any(is_unreadable(text) for text in counts):
            self.notes.append(
                "Some of its values cannot be read, or hold a null character. They are not among "
                "what is suggested, and count as outside of the column."
            )
        declared = labels.missing.get(name, ())
        known = {code.strip(): label for code, label in labels.values.get(name, {}).items()}
        self._labels = {code: known[code] for code in known if code and code not in declared}
        stripped = {*self._counts}
        usual = [token for token in MISSING_TOKENS if token in stripped and token not in known]
        self._tokens: list[str] = [*usual]
        declared = tuple(token for token in declared if token not in usual)
        self._texts = sorted(stripped - {*usual, *declared})
        self._numbers = {text: parse_number(text) for text in {*self._texts, *self._labels}}
        if declared:
            self._note_declared()
        elif not self._take_word_as_missing():
            self._note_missing()
        probable = () if self._labels.keys() >= set(self._texts) else self._take_probable()
        together = [tuple(self._tokens)] if self._tokens else []
        codes = [*together, *group_declared(declared, known), *probable]
        self._codes = label_codes(codes, known)
        standing = {*list_missing_texts(self._codes)}
        self._labels = {code: self._labels[code] for code in self._labels if code not in standing}
        if not self._texts:
            raise Refusal(
                f"Column “{name}” is missing in every record.", "Leave it out.", field=name
            )
        self._rows = rows
        self._all_differ = len(self._texts) == rows >= _ENOUGH_TO_TELL
        self._labelled = bool(self._labels) and self._labels.keys() >= set(self._texts)

    def column(self) -> Column:
        """Return the suggested column.

        Raises:
            Refusal: too many categories.
        """
        if self._labelled:
            return self._as_labelled()
        if len(self._texts) == 1:
            self.notes.append(
                "Every record has the same value: list the others that are possible, or leave the "
                "column out."
            )
        if self._all_differ:
            self.notes.append(
                "Every record has a value of its own. If it identifies the record, leave the "
                "column out."
            )
        recognised = recognise_domain(self._texts)
        if recognised is not None and not self._are_listed(recognised):
            return self._as_recognised(recognised)
        spelling = None if self._typed else suggest_number_spelling(self._texts)
        if spelling is not None and not self._are_codes():
            column = self._as_spelt(spelling)
            if column is not None:
                return column
        found = [self._numbers[text] for text in self._texts]
        numbers = [number for number in found if number is not None]
        all_numbers = len(numbers) == len(self._texts)
        if not all_numbers or self._are_codes() or self._are_few(numbers):
            return self._as_listed(numbers) or self._as_mostly() or self._as_categories(all_numbers)
        return self._as_grid()

    def _as_recognised(
        self, domain: Domain, bounds: str = FROM_FILE, origin: Origin = ""
    ) -> Column:
        """Return a column of a kind that its texts tell of, with what is still to be said of it.

        Args:
            domain: what it may contain.
            bounds: where its bounds come from, if it has some.
            origin: where they are publicly known from, if they are.
        """
        if self._zone:
            domain = domain.kept_with(self._zone, self._texts)
        if domain.ordered:
            self.notes.append(bounds)
        written = domain.setting_texts().get("spelling", "")
        if domain.question:
            self.notes.insert(0, domain.question)
        elif written:
            self.notes.insert(
                0,
                f"Its values are read as {domain.words.plural} written as {written}, as those "
                "in the file are. Say otherwise if they are something else.",
            )
        return self._make_column(domain, origin)

    def _as_spelt(self, spelling: NumberSpelling) -> Column | None:
        """Return a column of numbers that the file writes in a way of its own, or ways of which one
        is meant; None where they are few whole numbers that occur again and again, or too long."""
        spelling = replace(spelling, as_text=self._as_text)
        found = {each.read(text) for each in spelling.patterns for text in self._texts}
        whole = all(number == number.to_integral_value() for number in found if number is not None)
        few = whole and len(self._texts) <= FEW_VALUES
        if few and self._rows >= _AGAIN * len(self._texts):
            return None
        try:
            spelt = choose_spelt_range(
                self._names, self._count(self._texts), spelling, self._standing
            )
        except Refusal:
            return None
        if spelt.rounded:
            self._note_rounded(spelt.domain)
        return self._as_recognised(spelt.domain, spelt.note, "bounds" if spelt.public else "")

    @property
    def _names(self) -> tuple[str, str]:
        return self.name, self._title

    @property
    def _standing(self) -> list[Decimal]:
        """The numbers that stand for missing."""
        standing = map(parse_number, list_missing_texts(self._codes))
        return [number for number in standing if number is not None]

    def _count(self, texts: Collection[str]) -> dict[str, int]:
        """Return how many records have each of some texts."""
        return {text: self._counts[text] for text in texts}

    def _count_numbers(self, texts: Collection[str]) -> dict[Decimal, int]:
        """Return how many records have each of the numbers among some texts."""
        counts: Counter[Decimal] = Counter()
        for text, records in self._count(texts).items():
            number = self._numbers[text]
            if number is not None:
                counts[number] += records
        return dict(counts)

    def _as_mostly(self) -> Column | None:
        """Return a column of a kind that nearly all texts tell of, where there are too many for a
        list; None for others."""
        if len(self._texts) <= MOST_CATEGORIES:
            return None
        shapes = {text: _WORD.sub("a", _NUMERAL.sub("9", text)) for text in self._texts}
        counts = Counter(shapes.values())
        usual = min(counts, key=lambda shape: (-counts[shape], shape))
        alike = [text for text in self._texts if shapes[text] == usual]
        others = len(self._texts) - len(alike)
        if not others or len(alike) < _NUMBERS_MIXED * len(self._texts):
            return None
        domain = recognise_domain(alike)
        spelling = None if domain or self._typed else suggest_number_spelling(alike)
        if domain is None and spelling is not None:
            spelling = replace(spelling, as_text=self._as_text)
            with suppress(Refusal):
                domain = choose_spelt_range(self._names, self._count(alike), spelling, ()).domain
        if domain is None:
            return None
        self.notes.append(
            f"All but {others:,} of its different texts are {domain.words.plural}. These others "
            "are outside of what is suggested: correct them in the file, or count them as missing."
        )
        return self._as_recognised(domain)

    def _note_rounded(self, domain: Domain) -> None:
        step = "" if domain.ranged is None else domain.ranged.step_words
        self.notes.append(
            f"Numbers are rounded to steps of {step}. A smaller step keeps more detail and "
            "needs more records. If the numbers are measurements, make the column "
            "continuous, and they are kept and released to a precision of their own. If they "
            "are codes, make it one of categories."
        )

    def _are_listed(self, domain: Domain) -> bool:
        """Return whether values that one kind has are few, of many that it could have, and occur
        again and again, so that they are listed."""
        few = len(self._texts) <= min(domain.few_listed, domain.size // 2)
        return few and self._rows >= _AGAIN * len(self._texts) and not domain.question

    def _take_word_as_missing(self) -> bool:
        """Take a single short word among numbers, or values that only one kind has, to stand for
        missing, whatever the word is."""
        words = [text for text in self._texts if self._numbers[text] is None]
        among = "numbers"
        if len(words) > 1:
            words = [word for word in words if _is_token(word)]
            others = [text for text in self._texts if text not in words]
            if len(words) != 1:
                return False
            domain = recognise_domain(others)
            if domain is None and (self._typed or suggest_number_spelling(others) is None):
                return False
            among = "numbers" if domain is None else domain.words.plural
        if len(words) != 1 or len(self._texts) < 3 or not _is_token(words[0]):
            return False
        self._tokens.append(words[0])
        self._texts.remove(words[0])
        del self._numbers[words[0]]
        self.notes.append(
            f"The only text among {among} is taken for missing. If it is a value, choose "
            "categories."
        )
        return True

    def _take_probable(self) -> list[tuple[str, ...]]:
        """Return the values that are probably codes for missing, by code, and take them from the
        others."""
        if self._are_codes():
            return []
        labels = self._labels
        said = {text for text in self._texts if says_missing(labels.get(text, ""))}
        rest = [text for text in self._texts if text not in said]
        tops = {text for text in rest if is_top_code(labels.get(text, ""))}
        probable = list(find_probable_codes(text for text in rest if text not in tops))
        known = {*chain.from_iterable(probable)}
        rest = [text for text in rest if text not in known]
        impossible = self._find_impossible_codes(rest)
        known |= {*chain.from_iterable(impossible)}
        rest = [text for text in rest if text not in known]
        labelled = [(text,) for text in sorted(said) if self._lies_beyond(text, rest)]
        if probable:
            self._note_codes(probable, "apart from all other values")
        if labelled:
            named = ", ".join(f"“{text}”" for (text,) in labelled)
            self.notes.append(
                f"By the labels of the file, {named} stand for missing, each with a meaning of its "
                "own. If one is a value, take it out of the codes for missing."
            )
        taken = [*labelled, *probable, *impossible]
        known |= {text for (text,) in labelled}
        self._texts = [text for text in self._texts if text not in known]
        return taken

    def _find_impossible_codes(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the numbers that look like codes and that the quantity, which the column is called
        by, cannot have, by number."""
        public = find_public_bounds(*self._names, self._count_numbers(texts))
        if public is None or not public.codes or len(public.codes) >= len(texts) - 1:
            return []
        codes = [
            tuple(text for text in texts if self._numbers[text] == number)
            for number in sorted(public.codes)
        ]
        self._note_codes(codes, f"outside of what is usual for {public.phrase}")
        return codes

    def _lies_beyond(self, text: str, others: Sequence[str]) -> bool:
        """Return whether a text is no number between others."""
        number = self._numbers[text]
        known = [found for other in others if (found := self._numbers[other]) is not None]
        return number is None or not known or not min(known) <= number <= max(known)

    def _note_codes(self, codes: Sequence[Sequence[str]], where: str) -> None:
        named = ", ".join(f"“{texts[0]}”" for texts in codes)
        one = len(codes) == 1
        self.notes.append(
            f"{named} {'is probably a code' if one else 'are probably codes'} for missing: "
            f"{'it lies' if one else 'they lie'} {where}. Bounds and steps are "
            f"suggested without {'it' if one else 'them'}. Give {'it' if one else 'each'} a "
            "meaning, such as not asked; if it is a value, take it out of the codes for missing."
        )

    def _note_declared(self) -> None:
        self.notes.append(
            "The file declares which codes stand for missing. Each is kept apart, with its label "
            "as its meaning. Check that the codebook has the same."
        )

    def _note_missing(self) -> None:
        if len(self._tokens) > 1:
            self.notes.append(
                f"{len(self._tokens)} different texts are taken to stand for missing; all of them "
                "will be written as the first. To keep them apart, put each on a line of its own."
            )
        elif self._tokens and self._tokens[0]:
            self.notes.append("One text is taken to stand for missing. Is it a value of its own?")

    def _are_codes(self) -> bool:
        """Return whether the numbers are padded with zeros, so that their text matters."""
        return any(_PADDED.fullmatch(text) for text in self._texts)

    def _are_few(self, numbers: Sequence[Decimal]) -> bool:
        """Return whether the numbers are few and whole, each written in one way only."""
        whole = all(number == number.to_integral_value() for number in numbers)
        few = len(self._texts) <= FEW_VALUES
        return whole and few and len(set(numbers)) == len(self._texts)

    def _as_categories(self, all_numbers: bool) -> Column:
        self._check_categories()
        if all_numbers and self._are_codes():
            self.notes.append("The numbers begin with zeros and are kept as codes.")
        elif not all_numbers:
            self._note_mixed()
        self.notes.append(
            "These categories are those in the file. Complete them from the codebook, and remove "
            "what nobody outside would know."
        )
        return self._make_column(self._categories({*self._texts, *self._labels}))

    def _as_labelled(self) -> Column:
        """Return all labelled codes, those that occur in no record too."""
        if len(self._labels) > MOST_CATEGORIES:
            raise _too_many(self.name)
        self.notes.append(
            "These categories are all that the file has labels for, whether they occur or not. "
            "Check that the codebook has the same."
        )
        return self._make_column(self._categories(self._labels), "labels")

    def _categories(self, values: Collection[str]) -> Categories:
        ordered = tuple(sorted(values, key=self._rank))
        labels = tuple(self._labels.get(value) or value for value in ordered)
        return Categories(values=ordered, labels=labels if labels != ordered else ())

    def _check_categories(self) -> None:
        if len(self._texts) > MOST_CATEGORIES:
            raise _too_many(self.name)
        if any(len(text) > LONGEST_TEXT for text in self._texts):
            raise Refusal(
                f"Column “{self.name}” holds texts of more than {LONGEST_TEXT:,} characters.",
                "Leave it out.",
                field=self.name,
            )

    def _note_mixed(self) -> None:
        numbers = sum(self._numbers[text] is not None for text in self._texts)
        if numbers > _NUMBERS_MIXED * len(self._texts):
            self.notes.append(
                f"All but {len(self._texts) - numbers} of the different texts are numbers. To use "
                "them as numbers, correct the others in the file or count them as missing."
            )

    def _rank(self, text: str) -> tuple[bool, Decimal, str]:
        number = self._numbers[text]
        return number is None, number or Decimal(0), text

    def _as_grid(self) -> Column:
        chosen = choose_range(self._names, self._count_numbers(self._texts), self._standing)
        return self._as_chosen(chosen)

    def _as_listed(self, numbers: Sequence[Decimal]) -> Column | None:
        """Return a range for a few whole numbers of a quantity that has few, such as months;
        None for other columns."""
        plain = len(numbers) == len(self._texts) and not self._are_codes() and not self._labels
        if not plain or len(numbers) < _FEWEST_LISTED:
            return None
        chosen = choose_range(self._names, self._count_numbers(self._texts), self._standing)
        return self._as_chosen(chosen) if chosen.listed else None

    def _as_chosen(self, chosen: ChosenRange) -> Column:
        grid = chosen.grid.grid
        if chosen.grid.rounded:
            self._note_rounded(grid)
        if self._labels:
            self.notes.append(
                "The file labels some of these numbers; a column of numbers keeps no labels. If "
                "they are codes, make the column one of categories."
            )
        self.notes.append(chosen.note)
        return self._make_column(grid, "bounds" if chosen.public else "")

    def _make_column(self, domain: Domain, origin: Origin = "") -> Column:
        column = with_usual_buckets(
            Column(
                name=self.name,
                title=self._title,
                domain=domain,
                missing=bool(self._codes),
                missing_codes=self._codes or (MissingCode(),),
                origin=origin,
            )
        )
        if column.gap_note:
            self.notes.append(
                f"{column.gap_note} If it can be a value, give missing another code in the file."
            )
        return column


def _too_many(name: str) -> Refusal:
    return Refusal(
        f"Column “{name}” has more than {MOST_CATEGORIES:,} categories and looks like an "
        "identifier, a date or free text.",
        "Leave it out, or group its values in the file first.",
        field=name,
    )


def _is_token(word: str) -> bool:
    """Return whether a word is short and has no digit, so that it is neither a range nor a top
    code."""
    return len(word) <= _LONGEST_TOKEN and not any(letter.isdigit() for letter in word)
