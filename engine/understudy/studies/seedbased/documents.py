"""What was found, as the document that is printed, drawn and written."""

from __future__ import annotations

from understudy.studies.reproduction import Document
from understudy.studies.seedbased.as_data import as_dict
from understudy.studies.seedbased.figures import figures_of
from understudy.studies.seedbased.report import Circumstances, sections
from understudy.studies.seedbased.results import Results


def document(found: Results, told: Circumstances) -> Document:
    """Internal where the table was not the simulated census."""
    internal = not told.census
    return Document(
        sections(found, told), as_dict(found, told), figures_of(found, internal=internal), internal
    )
