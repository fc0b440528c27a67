"""Published classifications whose codes tell the group: chapters of diseases, sections of trades.

Sources: World Health Organization, ICD-10 (version 2019), list of chapters; ICD-9-CM (2014), list
of chapters; Eurostat, NACE Rev. 2 (2008), sections by division; Bureau of Labor Statistics,
Standard Occupational Classification (2018), major groups.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


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
