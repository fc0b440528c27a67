"""Recognising the table of a project."""

from __future__ import annotations

from understudy.ledger.book import Book
from understudy.projects.project import ProjectAbout


def its_own(about: ProjectAbout, fingerprint: str, book: Book) -> bool:
    """Return whether this very table is one of the project's, or of the dataset that it is
    about."""
    known = book.tables.get(fingerprint)
    return fingerprint in about.tables or (known is not None and known == about.dataset)


def dataset_name(about: ProjectAbout, book: Book) -> str:
    """Return what the dataset of a project is called in the ledger, or will be; "" before a
    table."""
    known = book.datasets.get(about.dataset or "")
    return about.called if known is None else known.name
