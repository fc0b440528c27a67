"""Where it is publicly known from what a column may contain, as its custodian says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal, get_args

from understudy.core.numerals import count

Origin = Literal["", "questionnaire", "codebook", "classification", "law", "design"]
"""The kind of source; "" where nobody has said."""

ORIGINS: Final[Mapping[Origin, str]] = {
    "questionnaire": "a questionnaire or form",
    "codebook": "a published codebook",
    "classification": "a published classification",
    "law": "a law or regulation",
    "design": "the design of the data",
    "": "not said",
}
"""Each kind as a reader reads it."""
KNOWN: Final = tuple(each for each in get_args(Origin) if each)


def origin_read(text: str) -> Origin | None:
    """Return the kind of source that a text names, as it stands in files or as a reader reads it;
    None where it names none."""
    said = text.strip().casefold()
    return next((each for each in KNOWN if said in (each, ORIGINS[each])), None)


def origins_said(origins: Iterable[Origin]) -> str:
    """Return how many lists and ranges came from where, in a sentence; "" where nobody has said it
    of any."""
    found = Counter(origins)
    if not any(found[each] for each in KNOWN):
        return ""
    told = [f"{found[each]:,} from {ORIGINS[each]}" for each in KNOWN if found[each]]
    if found[""]:
        told.append(f"{found['']:,} not said")
    columns = count(sum(found.values()), "column")
    return f"Where it is known what the {columns} may contain: {', '.join(told)}."
