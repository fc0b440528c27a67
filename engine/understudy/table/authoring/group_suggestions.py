"""Groups that a column's declared categories suggest: by published classifications, their codes,
their labels, a hierarchy.

Everything follows from the public list of categories, and from files that the custodian says are
public. No record is looked at, and no count of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from understudy.table.buckets import ByGroups, Group
from understudy.table.column import Column
from understudy.table.domain import Domain
from understudy.table.levels import Levels, are_nested, levels_above, unused_rest

# Published classifications whose codes tell the group: chapters of diseases, sections of trades.
#
# Sources: World Health Organization, ICD-10 (version 2019), list of chapters; ICD-9-CM (2014), list
# of chapters; Eurostat, NACE Rev. 2 (2008), sections by division; Bureau of Labor Statistics,
# Standard Occupational Classification (2018), major groups.


@dataclass(frozen=True)
class Classification:
    """A way to tell the group of a code.

    Attributes:
        name: what the groups are, such as “ICD-10 chapters”.
        place: the label of the group of a code; None for what is no code of it.
        least: the share of a column's categories that have to be codes of it.
    """

    name: str
    place: Callable[[str], str | None]
    least: float = 0.9


_ICD10: Final = (
    ("A00", "B99", "Infectious diseases"),
    ("C00", "D48", "Neoplasms"),
    ("D50", "D89", "Blood and immunity"),
    ("E00", "E90", "Endocrine, nutritional and metabolic"),
    ("F00", "F99", "Mental and behavioural"),
    ("G00", "G99", "Nervous system"),
    ("H00", "H59", "Eye"),
    ("H60", "H95", "Ear"),
    ("I00", "I99", "Circulatory system"),
    ("J00", "J99", "Respiratory system"),
    ("K00", "K93", "Digestive system"),
    ("L00", "L99", "Skin"),
    ("M00", "M99", "Musculoskeletal system"),
    ("N00", "N99", "Genitourinary system"),
    ("O00", "O99", "Pregnancy and childbirth"),
    ("P00", "P96", "Perinatal period"),
    ("Q00", "Q99", "Congenital malformations"),
    ("R00", "R99", "Symptoms and findings"),
    ("S00", "T98", "Injury and poisoning"),
    ("U00", "U99", "Special purposes"),
    ("V01", "Y98", "External causes"),
    ("Z00", "Z99", "Contact with health services"),
)
_ICD9: Final = (
    (139, "Infectious diseases"),
    (239, "Neoplasms"),
    (279, "Endocrine, nutritional and metabolic"),
    (289, "Blood"),
    (319, "Mental disorders"),
    (389, "Nervous system and senses"),
    (459, "Circulatory system"),
    (519, "Respiratory system"),
    (579, "Digestive system"),
    (629, "Genitourinary system"),
    (679, "Pregnancy and childbirth"),
    (709, "Skin"),
    (739, "Musculoskeletal system"),
    (759, "Congenital anomalies"),
    (779, "Perinatal period"),
    (799, "Symptoms and findings"),
    (999, "Injury and poisoning"),
)
_NACE: Final = (
    (1, 3, "A Agriculture"), (5, 9, "B Mining"), (10, 33, "C Manufacturing"),
    (35, 35, "D Electricity and gas"), (36, 39, "E Water and waste"), (41, 43, "F Construction"),
    (45, 47, "G Trade"), (49, 53, "H Transport"), (55, 56, "I Accommodation and food"),
    (58, 63, "J Information"), (64, 66, "K Finance"), (68, 68, "L Real estate"),
    (69, 75, "M Professional and scientific"), (77, 82, "N Administrative services"),
    (84, 84, "O Public administration"), (85, 85, "P Education"), (86, 88, "Q Health and care"),
    (90, 93, "R Arts and recreation"), (94, 96, "S Other services"), (97, 98, "T Households"),
    (99, 99, "U Extraterritorial organisations"),
)  # fmt: skip
_SOC: Final = {
    11: "Management", 13: "Business and finance", 15: "Computers and mathematics",
    17: "Architecture and engineering", 19: "Sciences", 21: "Community and social service",
    23: "Law", 25: "Education", 27: "Arts, sports and media", 29: "Health practitioners",
    31: "Health support", 33: "Protective service", 35: "Food", 37: "Buildings and grounds",
    39: "Personal care and service", 41: "Sales", 43: "Office", 45: "Farming, fishing and forestry",
    47: "Construction and extraction", 49: "Installation and repair", 51: "Production",
    53: "Transport", 55: "Military",
}  # fmt: skip


def _icd10(code: str) -> str | None:
    found = re.fullmatch(r"([A-Z][0-9]{2})(\.?[0-9A-Z]{1,4})?", code.strip())
    if found is None:
        return None
    three = found.group(1)
    return next((label for low, high, label in _ICD10 if low <= three <= high), None)


def _icd9(code: str) -> str | None:
    if re.fullmatch(r"E[0-9]{3}(\.?[0-9])?", code.strip()):
        return "External causes"
    if re.fullmatch(r"V[0-9]{2}(\.?[0-9]{1,2})?", code.strip()):
        return "Contact with health services"
    found = re.fullmatch(r"([0-9]{1,3})(\.[0-9]{1,2})?", code.strip())
    if found is None or int(found.group(1)) == 0:
        return None
    return next((label for last, label in _ICD9 if int(found.group(1)) <= last), None)


def _nace(code: str) -> str | None:
    found = re.fullmatch(r"([0-9]{2})\.[0-9]{1,2}", code.strip())
    if found is None:
        return None
    division = int(found.group(1))
    return next((label for low, high, label in _NACE if low <= division <= high), None)


def _soc(code: str) -> str | None:
    found = re.fullmatch(r"([0-9]{2})-[0-9X]{4}", code.strip())
    return None if found is None else _SOC.get(int(found.group(1)))


CLASSIFICATIONS: Final = (
    Classification("ICD-10 chapters", _icd10),
    Classification("ICD-9 chapters", _icd9),
    Classification("NACE sections", _nace),
    Classification("SOC major groups", _soc),
)
"""Those whose codes have a form of their own. Codes of ISCO are four figures, as those of much else
are: their major groups are their first figure, which `group_suggestions` has anyway."""


FEWEST: Final = 6
"""A column of fewer categories needs no suggestions."""
_SEPARATORS: Final = ("-", "/", ":", ".", "_", ",", "|", " ")
_LONGEST: Final = 6
"""Leading characters looked at, at most."""
_COVERED: Final = 0.5
"""The least share of the categories that a suggestion has to put into groups."""
_POWERS: Final = (1000, 100, 10)

Where = Mapping[str, str]
"""The name of the group by category."""


@dataclass(frozen=True)
class GroupSuggestion:
    """Groups that can be taken as a column's buckets.

    Attributes:
        name: by what the categories are put together, such as “what stands before the first -”.
        buckets: the groups; categories in none of them fall into the rest.
        categories: how many the column has.
        levels: ever coarser groups of these, the finest first.
    """

    name: str
    buckets: ByGroups
    categories: int
    levels: Levels = ()

    @property
    def groups(self) -> int:
        """How many buckets there are, the one of everything else among them."""
        return len(self.buckets.groups) + (self.buckets.rest is not None)

    def group_column(self, column: Column) -> Column:
        """Return the column in these groups, with the levels above them.

        Raises:
            Refusal: they do not fit it.
        """
        return column.changed(buckets=self.buckets, levels=self.levels)

    @property
    def largest(self) -> float:
        """The share of the categories that the largest bucket holds."""
        return max(*(len(each.values) for each in self.buckets.groups), self.left) / self.categories

    @property
    def left(self) -> int:
        """How many categories are in no group."""
        return self.categories - sum(len(each.values) for each in self.buckets.groups)


def suggested_groups(categories: Domain) -> tuple[GroupSuggestion, ...]:
    """Return what the codes and labels of a column suggest, each way of grouping once.

    The published classifications that the codes follow come first, then what stands before a
    separator, leading characters, and ranges of numbers. Each has those above it that its groups
    are within.
    """
    if categories.size < FEWEST:
        return ()
    published = _suggest_published(categories)
    tops = [where for _, where in published]
    found = [
        *(suggestion for suggestion, _ in published),
        *_before_separators(categories, tops),
        *_leading(categories, tops),
        *_ranges(categories, tops),
    ]
    seen: dict[frozenset[tuple[str, ...]], GroupSuggestion] = {}
    for each in found:
        groups = frozenset(group.values for group in each.buckets.groups)
        first = seen.setdefault(groups, each)
        # The names of a classification tell more than levels that it does not have.
        if len(first.levels) < len(each.levels) and all(first != one for one, _ in published):
            seen[groups] = each
    return tuple(seen.values())


def put_together(
    name: str,
    categories: Domain,
    where: Where,
    above: Sequence[Where] = (),
    *,
    alone: bool = True,
) -> GroupSuggestion | None:
    """Return a suggestion from the group of each category.

    Args:
        name: by what they are put together.
        categories: of the column.
        where: the label of the group by category; one that is not named is in none. What is no
            category of the column is passed over.
        above: the same of coarser groups that these are within, the finest first. Categories in
            none of the groups then stand with the others of theirs.
        alone: whether a group may hold a single category; otherwise that one is in none.

    Returns:
        None where there would be fewer than two buckets, or each category would be its own.
    """
    members = _members(categories, where)
    kept = {label: each for label, each in members.items() if alone or len(each) > 1}
    taken = {value for each in kept.values() for value in each}
    levels = list(above)
    for label, values, depth in _others(categories, taken, above):
        kept.setdefault(label, []).extend(values)
        # Up to the level at which they are together, they stand by themselves.
        levels[:depth] = [{**each, **dict.fromkeys(values, label)} for each in levels[:depth]]
    covered = sum(map(len, kept.values()))
    whole = covered == categories.size
    if not kept or len(kept) + (not whole) < 2 or len(kept) == covered:
        return None
    groups = tuple(Group(label=label, values=tuple(each)) for label, each in kept.items())
    buckets = ByGroups(groups=groups, rest=None if whole else unused_rest(kept))
    return GroupSuggestion(
        name, buckets, categories.size, levels_above(categories, buckets, levels)
    )


def _others(
    categories: Domain, taken: Collection[str], above: Sequence[Where]
) -> list[tuple[str, list[str], int]]:
    """Group the categories that are in no group by the finest group above in which there are
    several of them, else by the coarsest: a name for them, themselves, and the place of that
    level."""
    found = []
    left = [value for value in categories.texts if value not in taken]
    for depth, where in enumerate(above):
        together: dict[str, list[str]] = {}
        for value in left:
            if value in where:
                together.setdefault(where[value], []).append(value)
        several = {
            label: each
            for label, each in together.items()
            if len(each) > 1 or depth == len(above) - 1
        }
        found += [(f"others of {label}", each, depth) for label, each in several.items()]
        gone = {value for each in several.values() for value in each}
        left = [value for value in left if value not in gone]
    return found


def _members(categories: Domain, where: Where) -> dict[str, list[str]]:
    """Return the categories of each group, in their order."""
    members: dict[str, list[str]] = {}
    for value in categories.texts:
        if where.get(value, "").strip():
            members.setdefault(where[value].strip(), []).append(value)
    return members


def _suggest_published(categories: Domain) -> list[tuple[GroupSuggestion, Where]]:
    """Suggest groups by published classifications of nearly all codes; return the group of each
    too."""
    found: list[tuple[GroupSuggestion, Where]] = []
    for each in CLASSIFICATIONS:
        where = _place_values(each, categories.texts)
        made = put_together(each.name, categories, where)
        if made is not None and len(where) >= each.least * categories.size:
            found.append((made, where))
    return found


def _place_values(of: Classification, values: Sequence[str]) -> dict[str, str]:
    found = {value: of.place(value) for value in values}
    return {value: label for value, label in found.items() if label is not None}


def _before_separators(categories: Domain, published: Sequence[Where]) -> list[GroupSuggestion]:
    """Suggest groups by the text before the first separator, in codes and in labels."""
    found = []
    for what, texts in _texts(categories).items():
        for sign in _SEPARATORS:
            where = {
                value: text.split(sign, 1)[0].strip()
                for value, text in texts.items()
                if sign in text[1:]
            }
            shown = "blank" if sign == " " else f"“{sign}”"
            named = {f"{what} up to the first {shown}": where}
            found += _chain_suggestions(categories, named, published)
    return found


def _leading(categories: Domain, published: Sequence[Where]) -> list[GroupSuggestion]:
    """Suggest groups by the first characters of codes that hold a figure, a length at a time."""
    codes = categories.texts
    if sum(any(sign.isdigit() for sign in code) for code in codes) < _COVERED * len(codes):
        return []
    if all(map(str.isdecimal, codes)) and len(set(map(len, codes))) > 1:
        # 9 and 90 begin alike and are not: numbers go by ranges.
        return []
    longest = min(_LONGEST, max(map(len, codes)) - 1)
    named = {}
    for length in range(1, longest + 1):
        shown = "character" if length == 1 else f"{length} characters"
        named[f"first {shown} of the code"] = {
            code: f"{code[:length]}…" for code in codes if len(code) > length
        }
    return _chain_suggestions(categories, named, published)


def _ranges(categories: Domain, published: Sequence[Where]) -> list[GroupSuggestion]:
    """Suggest groups by tens, hundreds and thousands of codes that are whole numbers."""
    numbers = {code: int(code) for code in categories.texts if re.fullmatch(r"[0-9]{1,9}", code)}
    if len({len(code) for code in numbers}) < 2:
        return []
    named = {}
    for power in _POWERS:
        places = {code: number // power * power for code, number in numbers.items()}
        named[f"codes by the {power:,}"] = {
            code: f"{low} to {low + power - 1}" for code, low in places.items()
        }
    return _chain_suggestions(categories, named, published)[::-1]


def _chain_suggestions(
    categories: Domain, named: Mapping[str, Where], published: Sequence[Where]
) -> list[GroupSuggestion]:
    """Return a suggestion of each way of grouping that puts enough of the categories together, with
    those before it as the levels above it.

    Args:
        categories: of the column.
        named: ways of grouping by their names, the coarsest first.
        published: groups of classifications. Of the first that a way of grouping is within, the
            levels between the two are those within it too.
    """
    found: list[GroupSuggestion] = []
    kept: list[Where] = []
    for name, where in named.items():
        alone = _enough(put_together(name, categories, where, alone=False))
        if alone is None:
            continue
        above = above_of(where, kept[::-1], published)
        together = _enough(put_together(name, categories, where, above, alone=False))
        found.append(together or alone)
        kept.append(where)
    return found


def above_of(where: Where, coarser: Sequence[Where], tops: Sequence[Where] = ()) -> list[Where]:
    """Return the levels above a way of grouping: those it is within that are within one another.

    Args:
        where: the way of grouping.
        coarser: others, the finest first.
        tops: of the first of these that it is within, only what is within that too stands between.
    """
    top = [each for each in tops if are_nested(where, each)][:1]
    found = [where]
    for each in coarser:
        if are_nested(found[-1], each) and all(are_nested(each, end) for end in top):
            found.append(each)
    return [*found[1:], *top]


def _texts(categories: Domain) -> dict[str, dict[str, str]]:
    """Return the texts that a person reads of each category, by what they are."""
    texts = {"code": dict(zip(categories.texts, categories.texts, strict=True))}
    if categories.given_labels:
        texts["label"] = dict(zip(categories.texts, categories.given_labels, strict=True))
    return texts


def _enough(made: GroupSuggestion | None) -> GroupSuggestion | None:
    """Return the suggestion, where it puts enough of the categories together."""
    if made is None or made.left > (1 - _COVERED) * made.categories:
        return None
    return made if made.groups <= made.categories / 2 else None


def by_weight(
    categories: Domain, weights: Mapping[str, float], parts: int
) -> GroupSuggestion | None:
    """Return neighbouring categories in groups of about the same public weight.

    Args:
        categories: in their order, in which neighbours stay together.
        weights: how frequent each is publicly known to be, not below 0; 0 where it is not named.
        parts: how many groups at most.
    """
    label = dict(zip(categories.texts, categories.given_labels or categories.texts, strict=True))
    whole = sum(weights.get(value, 0.0) for value in categories.texts)
    if whole <= 0 or parts < 2:
        return None
    before, cuts, last = 0.0, [0], 0
    for place, value in enumerate(categories.texts):
        middle = before + weights.get(value, 0.0) / 2
        part = min(parts - 1, int(middle / whole * parts))
        if place and part > last:
            cuts.append(place)
        last = part
        before += weights.get(value, 0.0)
    where = {}
    for low, high in pairwise([*cuts, categories.size]):
        inside = categories.texts[low:high]
        name = f"{label[inside[0]]} to {label[inside[-1]]}" if len(inside) > 1 else label[inside[0]]
        where.update(dict.fromkeys(inside, name))
    return put_together(f"{len(cuts)} groups of about the same public weight", categories, where)


def frequent_alone(
    categories: Domain, weights: Mapping[str, float], least: float
) -> GroupSuggestion | None:
    """Return each category of at least this share of the public weight by itself, all others
    together.

    Args:
        categories: of the column.
        weights: as in `by_weight`.
        least: a share, 0 to 1.
    """
    whole = sum(weights.get(value, 0.0) for value in categories.texts)
    label = dict(zip(categories.texts, categories.given_labels or categories.texts, strict=True))
    kept = [v for v in categories.texts if whole and weights.get(v, 0.0) >= least * whole]
    if not 0 < len(kept) < categories.size - 1:
        return None
    taken: set[str] = set()
    groups = []
    for value in kept:
        name = label[value] if label[value] not in taken else value
        taken.add(name)
        groups.append(Group(label=name, values=(value,)))
    named = f"each of at least {round(100 * least, 3):g} % of the public weight by itself"
    return GroupSuggestion(
        named, ByGroups(groups=tuple(groups), rest=unused_rest(taken)), categories.size
    )
