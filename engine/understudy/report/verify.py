"""Whether a packet is what it says: every check that needs nothing confidential."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pyarrow as pa

from understudy.core.refusal import Refusal
from understudy.report import content_checks, form_checks, promise_checks
from understudy.report.bundle import open_bundle
from understudy.report.checking import Checking, Elsewhere, Make, Missing
from understudy.report.verdict import TITLES, Check, Verdict

_CHECKS: Final[Mapping[str, Make]] = {
    "files": form_checks.check_files,
    "wrapping": form_checks.check_wrapping,
    "hashes": form_checks.check_hashes,
    "form": form_checks.check_form,
    "statement-schema": form_checks.check_statement_schema,
    "plan": promise_checks.check_plan,
    "schema": promise_checks.check_schema,
    "total": promise_checks.check_total,
    "statement": promise_checks.check_statement,
    "text": promise_checks.check_text,
    "table": content_checks.check_tables,
    "parquet": content_checks.check_parquet,
    "figures": content_checks.check_figures,
    "ledger": content_checks.check_ledger,
    "documents": content_checks.check_documents,
}
_UNREADABLE: Final = (
    ValueError,
    TypeError,
    KeyError,
    ArithmeticError,
    RecursionError,
    pa.ArrowException,
)


def verify(path: Path) -> Verdict:
    """Check a packet.

    Args:
        path: its folder, or its zip file.

    Raises:
        Refusal: it is neither, or cannot be read at all.
    """
    with open_bundle(path) as bundle:
        packet = Checking(bundle)
        checks = tuple(_made(key, packet) for key in TITLES)
        return Verdict(checks, packet.names.stained)


def _made(key: str, packet: Checking) -> Check:
    try:
        return Check(key, "passed", _CHECKS[key](packet))
    except Missing:
        return Check(key, "skipped", "Not checked, as something it needs is damaged.")
    except Elsewhere:
        said = "Its words were made by another version of the program."
        return Check(key, "skipped", said, elsewhere=True)
    except Refusal as refusal:
        return Check(key, "failed", refusal.problem)
    except _UNREADABLE:
        return Check(key, "failed", "What is there cannot be read.")
