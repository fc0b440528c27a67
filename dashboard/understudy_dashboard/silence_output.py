"""A process that holds confidential records, and says nothing of them: no log, no warning, no
traceback and no core dump of it carries a value, and an upload never touches the disk.

Errors and warnings of libraries quote what they met. What is logged of them is their kind and the
place, which is enough to find the fault.
"""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from understudy.core.debug import write_traceback
from understudy.core.files import keep_secret

_log = logging.getLogger("understudy")


def be_quiet(upload_megabytes: int) -> None:
    """Keep all that this process writes from quoting values; call it once, before it serves.

    Args:
        upload_megabytes: the most that an upload may hold.
    """
    logging.setLogRecordFactory(silence_record)
    _log.setLevel(logging.INFO)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    warnings.showwarning = _show_warning
    sys.excepthook = _report_error
    sys.unraisablehook = lambda what: _print_line(what.exc_value or what.exc_type)
    threading.excepthook = lambda what: _print_line(what.exc_value or what.exc_type)
    keep_secret()
    _keep_uploads_in_memory(upload_megabytes)


def describe_error(error: BaseException) -> str:
    """Return the kind of an error, and where it was raised. Its text may quote a cell."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return type(error).__name__
    return (
        f"{type(error).__name__} at "
        f"{_find_place(place.tb_frame.f_code.co_filename, place.tb_lineno)}"
    )


def silence_record(*args: Any, **named: Any) -> logging.LogRecord:
    """Return a log record that quotes no error: each is replaced by its kind and place."""
    record = logging.LogRecord(*args, **named)
    if record.exc_info:
        error = record.exc_info[1]
        record.exc_info = None
        if error is not None:
            record.msg, record.args = f"{_read_message(record)} ({describe_error(error)})", ()
    elif record.args:
        record.args = _drop_errors(record.args)
    if isinstance(record.msg, BaseException):
        record.msg = describe_error(record.msg)
    return record


def _read_message(record: logging.LogRecord) -> str:
    """Return the message with its arguments; where these do not fit it, without."""
    if isinstance(record.msg, BaseException):
        return describe_error(record.msg)
    if record.args:
        record.args = _drop_errors(record.args)
    try:
        return record.getMessage()
    except (TypeError, ValueError):
        return str(record.msg)


def _drop_errors(args: Any) -> Any:
    if isinstance(args, Mapping):
        return {name: _describe_if_error(each) for name, each in args.items()}
    return tuple(_describe_if_error(each) for each in args)


def _describe_if_error(value: Any) -> Any:
    return describe_error(value) if isinstance(value, BaseException) else value


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if not issubclass(category, DeprecationWarning | PendingDeprecationWarning):
        _log.warning("%s at %s", category.__name__, _find_place(filename, lineno))


def _report_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    _print_line(error)


def _print_line(error: BaseException | type[BaseException] | None) -> None:
    if isinstance(error, BaseException):
        _log.error("%s", describe_error(error))
        write_traceback(error)
    elif error is not None:
        _log.error("%s", error.__name__)


def _find_place(filename: str, line: int) -> str:
    return f"{Path(filename).name}:{line}"


def _keep_uploads_in_memory(megabytes: int) -> None:
    """Keep uploads in memory, of which the web server would put more than 1 MB into a file."""
    from starlette.formparsers import MultiPartParser

    MultiPartParser.spool_max_size = (megabytes + 1) << 20
