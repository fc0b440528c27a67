"""What was found, as the document that is printed, drawn and written."""

from __future__ import annotations

from understudy.mechanisms.seedbased.reproduction.as_data import as_dict
from understudy.mechanisms.seedbased.reproduction.figures import figures_of
from understudy.mechanisms.seedbased.reproduction.report import Circumstances, sections
from understudy.mechanisms.seedbased.reproduction.results import Results
from understudy.reproduction.reproduction import Document


def document(found: Results, told: Circumstances) -> Document:
    """Internal where the table was not the simulated census."""
    internal = not told.census
    return Document(
        sections(found, told), as_dict(found, told), figures_of(found, internal=internal), internal
    )
