"""Columns that identify people or records: by what they are called, by the shape of their texts,
and by having a value of its own in nearly every record.

Told from the set of texts of a column and how many records have one, so that the order of records
makes no difference. Computed from confidential texts: internal. A column that is found is left out
until the custodian takes it back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.table.cells import is_unreadable, parse_number
from understudy.table.column import Column
from understudy.table.missing_codes import MISSING_TOKENS
from understudy.table.omissions import Why
from understudy.table.raw import RawTable

ENOUGH_TO_TELL: Final = 20
"""With fewer different texts or records, only names and patterns that nothing else has count."""
_FEW: Final = 5
"""Fewer different texts tell nothing."""
_LOOKED_AT: Final = 2_000
"""So many texts of a column are looked at, evenly spread over all of them in their order."""
_MOSTLY: Final = 0.9
_HALF: Final = 0.5
_LETTERS: Final = 0.8


@dataclass(frozen=True)
class Identification:
    """What gives a column away as one that identifies.

    Attributes:
        why: the kind of reason, which is published with the schema.
        reason: a sentence for the custodian. Internal.
    """

    why: Why
    reason: str


@dataclass(frozen=True)
class OccurringTexts:
    """The different texts of a column that do not stand for missing. Confidential.

    Attributes:
        texts: in their order, without blanks around them.
        records: how many records have one.
        counts: how many records have each.
    """

    texts: tuple[str, ...]
    records: int
    counts: tuple[int, ...] = ()

    @classmethod
    def of_column(cls, raw: RawTable, name: str, missing: Collection[str] = ()) -> OccurringTexts:
        """Return those of a column of a table.

        Args:
            raw: the table.
            name: of the column.
            missing: the texts that stand for missing; the usual ones, and those that the file
                declares, where none are given.
        """
        texts, places = raw.distinct(name)
        counts: IntArray = np.bincount(places, minlength=len(texts)).astype(np.int64)
        absent = {*missing} if missing else {*MISSING_TOKENS, *raw.labels.missing.get(name, ())}
        kept = {
            text.strip(): 0 for text in texts if not is_unreadable(text)
        }  # of several that differ in blanks only, one
        for text, count in zip(texts, counts.tolist(), strict=True):
            if text.strip() in kept:
                kept[text.strip()] += count
        there = {text: count for text, count in kept.items() if count and text not in absent}
        ordered = tuple(sorted(there))
        return cls(ordered, sum(there.values()), tuple(there[text] for text in ordered))

    @property
    def looked_at(self) -> Sequence[str]:
        """Some of the texts, evenly spread."""
        step = max(1, -(-len(self.texts) // _LOOKED_AT))
        return self.texts[::step]

    @property
    def distinctness(self) -> float:
        """The number of different texts, as a share of the records that have one."""
        return len(self.texts) / max(1, self.records)

    def share(self, test: Callable[[str], object]) -> float:
        """Return the share of texts that pass a test."""
        seen = self.looked_at
        return sum(bool(test(text)) for text in seen) / max(1, len(seen))


# What columns are called.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PARTS: Final = re.compile(r"[A-ZÄÖÜ]?[a-zäöüßéèñ]+|[A-ZÄÖÜ]+(?![a-z])|\d+")
_PEOPLE: Final = _words(
    "person persons people patient patients pat subject respondent resp participant member "
    "client customer cust pupil student employee emp worker staff user insured policyholder "
    "holder household hh family mother father child spouse partner doctor physician provider gp "
    "teacher tenant borrower taxpayer citizen resident inmate offender victim donor owner "
    "contact versicherten patienten personen kunden schueler mitarbeiter"
)
_EVENTS: Final = _words(
    "encounter admission visit stay episode case fall claim invoice order transaction record "
    "row account acct konto contract policy card licence license passport booking ticket sample "
    "specimen order referral accession device session loan tax social insurance steuer medical "
    "hospital national health"
)
_NUMBERS: Final = _words(
    "id ids no nr nbr num number nummer numero key identifier ident kennung ref reference code"
)
_ALWAYS: Final = _words(
    "uuid guid ssn sin nhs nino mrn pid uid idno identifier ident pnr ahv avs bsn cpr cpf nir "
    "iban imei vin mergeid pidp personnummer rowid serial seqn respnr persnr patnr nhsno hicn "
    "mbi"
)
_WHO: Final = _words(
    "person patient resp respondent subject who participant member client customer pupil "
    "student employee worker user"
)
_NAMES: Final = _words(
    "surname lastname forename firstname vorname nachname familienname fullname maidenname "
    "givenname middlename prenom prénom apellido apellidos cognome nombre etunimi sukunimi"
)
_NAMED_BEFORE: Final = _words(
    "first last family given full maiden middle birth sur fore nick initial patient person "
    "client customer mother father doctor physician employee student member contact user"
)
_PHONES: Final = _words(
    "phone telephone tel telefon mobile cell cellphone handy fax telefono téléphone"
)
_MAILS: Final = _words("email mail emails")
_ADDRESSES: Final = _words(
    "address addr adresse anschrift street strasse straße rue calle direccion indirizzo"
)
_WEIGHTS: Final = _words(
    "weight weights wt wgt pweight pwgt pwgtp wgtp perwt hhwt gewicht hochrechnungsfaktor"
)
_UNITS_OF_MASS: Final = _words("kg kgs kilo kilos kilogram g gram grams lb lbs pounds body birth")
_TEXTS: Final = _words(
    "comment comments note notes remark remarks text freetext narrative verbatim description "
    "bemerkung kommentar anmerkung"
)


def _parts(name: str) -> tuple[str, ...]:
    """Return the words that a name is made of, in small letters."""
    return tuple(part.casefold() for part in _PARTS.findall(name))


# What texts look like.

_MAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}")
_LINK: Final = re.compile(r"(https?://|www\.)\S+", re.I)
_NETWORK: Final = re.compile(r"(\d{1,3}\.){3}\d{1,3}|([0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.I)
_PHONE: Final = re.compile(r"\+?\(?\d[\d ()/.\-]{5,18}\d")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}( \d{3})+")
_APART: Final = re.compile(r"[ ()/\-]")
_DATE: Final = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([ T].*)?|\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}.*"
    r"|(1[89]|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
)
_STREET: Final = re.compile(
    r"\d+[a-z]?[ ,]+.*\b(street|st|road|rd|avenue|ave|lane|ln|drive|dr|way|close|court|ct|place|pl"
    r"|boulevard|blvd|square|sq|terrace|rue|chemin|via|crescent|grove|gardens)\b.*"
    r"|.*(straße|strasse|str\.|weg|gasse|platz|allee|gade|gatan|vej|laan|straat|katu)\s+\d+.*"
    r"|(rue|via|calle|avenida|rua|ul\.|avenue)\s.+\d+.*",
    re.I,
)
_SHAPES: Final[Sequence[tuple[Why, str, Callable[[str], object], float]]] = (
    ("contact", "e-mail addresses", _MAIL.fullmatch, _HALF),
    ("contact", "addresses of web pages", _LINK.fullmatch, _MOSTLY),
    ("contact", "addresses of computers", _NETWORK.fullmatch, _MOSTLY),
    ("identifier", "social security numbers", re.compile(r"\d{3}-\d{2}-\d{4}").fullmatch, _MOSTLY),
    (
        "identifier",
        "national insurance numbers",
        re.compile(r"[A-CEGHJ-PR-TW-Z]{2}( ?\d{2}){3} ?[A-D]", re.I).fullmatch,
        _MOSTLY,
    ),
    (
        "identifier",
        "national numbers of people",
        re.compile(r"(\d{6}|\d{8})[-+]\d{4}|756\.\d{4}\.\d{4}\.\d{2}").fullmatch,
        _MOSTLY,
    ),
    (
        "identifier",
        "tax codes of people",
        re.compile(r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]", re.I).fullmatch,
        _MOSTLY,
    ),
    (
        "identifier",
        "account numbers",
        re.compile(r"[A-Z]{2}\d{2}( ?[A-Z0-9]){11,30}").fullmatch,
        _MOSTLY,
    ),
    (
        "identifier",
        "technical identifiers",
        re.compile(
            r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}|([0-9a-f]{16}){2,4}|[0-9a-f]{40}", re.I
        ).fullmatch,
        _MOSTLY,
    ),
)
"""Of each kind of texts, of which share of the texts it has to be."""
_NAME: Final = re.compile(r"[^\W\d_]+(['’.,\- ]{1,2}[^\W\d_]+){0,5}\.?")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_DIGITS: Final = re.compile(r"[\s\-]")
_MANY_WORDS: Final = 4
_NAMED_OFTEN: Final = 0.15
_LONG_NUMBER: Final = 8

_TITLES: Final = _words("dr mr mrs ms prof herr frau sr jr")
_FORENAMES: Final = _words(
    "aaron abdul abigail adam adriana agnes ahmed aisha alan alba albert alessandro alex "
    "alexander alexandra alfred ali alice alina alison amanda amelia amir amy ana anders andrea "
    "andreas andrew angela anita anja anke ann anna anne anneke annika anthony anton antonio "
    "arthur astrid ayse barbara beatriz ben benjamin bernd bernhard betty birgit bob brenda "
    "brian bruno camille carl carla carlos carmen carol caroline catherine cecilia charles "
    "charlotte chiara christian christina christine christopher claire clara claudia colin "
    "cristina cynthia daniel daniela david deborah dennis diana diane diego dieter dimitri "
    "donald donna dorothy douglas edward elena elif elisabeth elizabeth ella ellen elsa emilia "
    "emily emma eric erik ernst esther ethan eva evelyn fabian fatima felix fernando fiona "
    "florian frances francesca francesco francis francisco frank franz frederic friedrich "
    "gabriel gabriele george gerald gerhard giorgio giovanni giulia gloria grace greta "
    "guillaume gunnar hanna hannah hans harold harry hassan heather heidi heike heinz helen "
    "helena henri henrik henry hugo ian ibrahim ines ingrid irene isabel isabella ivan jack "
    "jacob jacqueline jakub james jan jane janet jason javier jean jeffrey jennifer jens jeremy "
    "jessica joan johan johanna john jonas jonathan jorge jose josef joseph joshua juan judith "
    "julia julian julie karen karin karl katarzyna katharina kathleen katja kelly kenneth kevin "
    "klaus kristina lars laura lauren leah lena leon leonie liam lina linda lisa lorenzo louis "
    "louise luca lucas lucia lucy luis luisa lukas magdalena manfred manuel marco marcus "
    "margaret maria marie marina mario marion mark markus marta martha martin martina mary "
    "matteo matthew matthias max maximilian megan mehmet melanie mia michael michel michelle "
    "miguel mohamed mohammed monica monika mustafa nadia nancy natalie nathan nicholas nicola "
    "nicolas nicole nina noah nora oliver olivia omar oscar otto pablo pamela paolo patricia "
    "patrick paul paula pedro peter petra philip philipp pierre piotr rachel ralf ralph raymond "
    "rebecca renate ricardo richard robert roberto roger roland ronald rosa roy ruth ryan "
    "sabine samantha samuel sandra sara sarah scott sean sebastian sergio sharon silvia simon "
    "sofia sonja sophia sophie stefan stefanie stephanie stephen steven susan susanne sven "
    "svetlana sylvia tanja teresa theodore theresa thomas tim timothy tobias tom tomas tyler "
    "ulrich ursula uwe valentina vanessa vera veronica victor victoria vincent virginia walter "
    "wendy werner william wolfgang yasmin yusuf yvonne zoe"
)


def recognise_identifier(name: str, found: OccurringTexts) -> Identification | None:
    """Return what gives a column away as one that identifies, by its name and the shape of its
    texts; None where nothing does.

    Args:
        name: of the column.
        found: its texts.
    """
    parts = _parts(name)
    if len(found.texts) >= ENOUGH_TO_TELL:
        return _recognise_shape(found) or _recognise_name(parts, found)
    if len(found.texts) < _FEW:
        return None
    if _are_called_names(parts, found) and found.share(_NAME.fullmatch) == 1:
        return _by_name("name", "names of people")
    return _recognise_pattern(found)


def is_called_weight(name: str) -> bool:
    """Return whether a column is called as one of survey weights is, and not as what somebody
    weighs."""
    parts = {*_parts(name)}
    return bool(parts & _WEIGHTS) and not parts & _UNITS_OF_MASS


def identifies_records(column: Column, found: OccurringTexts) -> bool:
    """Return whether nearly every record has a value of its own that is no measurement: a word, a
    long whole number, or one that counts the records.

    Args:
        column: as it is described.
        found: its texts.
    """
    if found.records < ENOUGH_TO_TELL or found.distinctness < _MOSTLY:
        return False
    if not column.ordered:
        return not column.domain.given_labels
    if not column.domain.numeric:
        return False
    numbers = [number for text in found.texts if (number := parse_number(text)) is not None]
    if not numbers or any(number != number.to_integral_value() for number in numbers):
        return False
    counted = found.distinctness == 1 and int(max(numbers) - min(numbers)) == found.records - 1
    return counted or _is_long(found)


def unique_values() -> Identification:
    """Return what is said of a column with a value of its own in nearly every record."""
    return Identification(
        "identifier",
        "Nearly every record has a value of its own here, as an identifier has. Use it only if it "
        "is none.",
    )


def _recognise_pattern(found: OccurringTexts) -> Identification | None:
    """Return what texts are that are all written after a pattern which nothing else has."""
    for why, what, test, least in () if _are_numbers(found) else _SHAPES:
        if found.share(test) >= least:
            return _by_texts(why, what)
    return None


def _recognise_shape(found: OccurringTexts) -> Identification | None:
    pattern = _recognise_pattern(found)
    if pattern is not None:
        return pattern
    if not _are_numbers(found):
        if found.share(_STREET.fullmatch) >= _HALF:
            return _by_texts("address", "addresses")
        if found.distinctness > 0.2 and found.share(_has_many_words) >= _HALF:
            return _by_texts("text", "free text")
        if _are_forenames(found):
            return _by_texts("name", "names of people")
    if _are_dates(found):
        return None
    for what, test in (("NHS numbers", _is_nhs_number), ("card numbers", _is_card_number)):
        if found.share(test) >= _MOSTLY:
            return _by_texts("identifier", what)
    if found.distinctness > 0.3 and found.share(_is_phone_number) >= _MOSTLY:
        return _by_texts("contact", "phone numbers")
    return None


def _are_forenames(found: OccurringTexts) -> bool:
    known = found.share(_begins_with_forename)
    return known >= _NAMED_OFTEN and found.share(_NAME.fullmatch) >= _LETTERS


def _recognise_name(parts: tuple[str, ...], found: OccurringTexts) -> Identification | None:
    named = set(parts)
    if not parts:
        return None
    if named & _PHONES and found.share(lambda text: len(_digits(text)) >= 6) >= 0.8:
        return _by_name("contact", "phone numbers")
    if named & _MAILS and found.distinctness > _HALF:
        return _by_name("contact", "e-mail addresses")
    if named & _ADDRESSES and found.share(lambda text: re.search(r"[^\W\d]", text)) >= 0.8:
        return _by_name("address", "addresses")
    if named & _TEXTS and found.distinctness > _HALF and not _are_numbers(found):
        return _by_name("text", "free text")
    if _are_called_names(parts, found) and found.share(_NAME.fullmatch) >= 0.8:
        return _by_name("name", "names of people")
    if _are_called_numbers(parts, found):
        return _by_name("identifier", "numbers or codes that identify")
    return None


def _are_called_names(parts: tuple[str, ...], found: OccurringTexts) -> bool:
    """Return whether a column is called as one of people's names is."""
    if set(parts) & _NAMES:
        return True
    if parts[-1] not in ("name", "names"):
        return False
    return found.distinctness > 0.05 if len(parts) == 1 else parts[-2] in _NAMED_BEFORE


def _are_called_numbers(parts: tuple[str, ...], found: OccurringTexts) -> bool:
    """Return whether a column is called as one of identifiers is, and holds as many different
    whole numbers or codes as such a one does."""
    if found.share(_is_code) < _MOSTLY or _are_dates(found):
        return False
    named, many = set(parts), len(found.texts) > 1000 or found.distinctness >= 0.05
    numbered = parts[-1] in _NUMBERS or parts[0] in ("id", "nr")
    if named & _ALWAYS or (len(parts) == 1 and parts[0] in _WHO):
        return many
    if not numbered:
        return False
    if parts[-1] == "code" or not named & (_PEOPLE | _EVENTS):
        return parts[-1] != "code" and found.distinctness >= _MOSTLY
    return many if named & _PEOPLE else found.distinctness >= _HALF


def _by_texts(why: Why, what: str) -> Identification:
    return Identification(why, f"Its values look like {what}. Use it only if they are none.")


def _by_name(why: Why, what: str) -> Identification:
    return Identification(
        why, f"By its name and its values, it holds {what}. Use it only if they are none."
    )


def _are_dates(found: OccurringTexts) -> bool:
    return found.share(_DATE.fullmatch) >= _HALF


def _are_numbers(found: OccurringTexts) -> bool:
    return found.share(lambda text: parse_number(text) is not None) >= _HALF


def _is_long(found: OccurringTexts) -> bool:
    """Return whether whole numbers all have the same many digits, and are no dates."""
    lengths = {len(text) for text in found.texts}
    digits = all(text.isdecimal() for text in found.looked_at)
    return digits and len(lengths) == 1 and min(lengths) >= _LONG_NUMBER and not _are_dates(found)


def _is_code(text: str) -> bool:
    """Return whether a text is a whole number, or a code with a digit and without blanks."""
    number = parse_number(text)
    if number is not None:
        return number == number.to_integral_value()
    return not re.search(r"\s", text) and re.search(r"\d", text) is not None


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _has_many_words(text: str) -> bool:
    return len(_WORD.findall(text)) >= _MANY_WORDS


def _begins_with_forename(text: str) -> bool:
    """Return whether a text begins with a forename, after a title, or has one after a comma."""
    words = [part for part in re.split(r"[\s.]+|(,)", text.casefold()) if part]
    words = [word for word in words if word not in _TITLES]
    after = words[words.index(",") + 1 :] if "," in words else words
    return any(some[0] in _FORENAMES for some in (words, after) if some)


def _is_phone_number(text: str) -> bool:
    """Return whether a text is a phone number, which begins with a plus sign or stands in parts."""
    if not _PHONE.fullmatch(text) or not 7 <= len(_digits(text)) <= 15:
        return False
    if _THOUSANDS.fullmatch(text):
        return False
    return text.startswith("+") or _APART.search(text) is not None


def _is_nhs_number(text: str) -> bool:
    """Return whether a text is ten digits of which the last checks the others (modulus 11)."""
    digits = _DIGITS.sub("", text)
    if not (digits.isascii() and digits.isdecimal() and len(digits) == 10):
        return False
    total = sum(int(digit) * (10 - place) for place, digit in enumerate(digits[:9]))
    return (11 - total % 11) % 11 == int(digits[9])


def _is_card_number(text: str) -> bool:
    """Return whether a text is 13 to 19 digits that pass Luhn's check."""
    digits = _DIGITS.sub("", text)
    if not (digits.isascii() and digits.isdecimal() and 13 <= len(digits) <= 19):
        return False
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(each - 9 * (each > 9) for each in doubled) % 10 == 0
