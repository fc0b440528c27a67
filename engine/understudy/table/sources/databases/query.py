"""Parsing what is asked of a database: one table by its name, or one query that only reads."""

from __future__ import annotations

import re
from dataclasses import dataclass

from understudy.core.refusal import Refusal

_NAME = re.compile(r'(?:"[^"]+"|[^\W\d][\w$]*)(?:\.(?:"[^"]+"|[^\W\d][\w$]*)){0,2}')
_PART = re.compile(r'"([^"]+)"|([^."]+)')
_QUOTED = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`"
    r"|\$(\w*)\$.*?\$\1\$",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d]\w*")
_READING = {"select", "with", "values", "table"}
_WRITING = {
    "insert", "update", "delete", "merge", "into", "create", "alter", "drop", "truncate",
    "grant", "revoke", "copy", "call", "exec", "execute", "attach", "detach", "pragma", "vacuum",
    "set", "begin", "commit", "rollback", "lock", "do",
}  # fmt: skip


@dataclass(frozen=True)
class TableName:
    """A table by its name.

    Attributes:
        parts: schema and table, or the table alone.
    """

    parts: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """A query that only reads, without a semicolon at its end."""

    text: str


def parse_query(text: str) -> TableName | Query:
    """Parse what was typed: the name of a table, or a query.

    The check is one of words and not the only one: the transaction is also opened for reading only
    where the database can do that.

    Raises:
        Refusal: it is empty, more than one statement, or more than reading; `field` is "query".
    """
    text = text.strip()
    if not text:
        raise Refusal("No table and no query is given.", "Enter one of them.", field="query")
    if _NAME.fullmatch(text):
        return TableName(tuple(quoted or bare for quoted, bare in _PART.findall(text)))
    text = text.rstrip("; \t\r\n")
    if "\\'" in text or "/*!" in text:
        # Databases differ in where such a quotation or comment ends, and so in what is run.
        raise Refusal(
            "The query holds \\' or /*!, which not every database reads alike.",
            "Write a quotation mark inside quotation marks twice, and leave such comments out.",
            field="query",
        )
    bare = _QUOTED.sub(" ", text)
    if ";" in bare:
        raise Refusal("The query is more than one statement.", "Keep one SELECT.", field="query")
    words = _words(bare)
    if not words or words[0] not in _READING:
        raise Refusal(
            "The query does not begin with SELECT.",
            "Enter the name of a table, or a query that begins with SELECT or WITH.",
            field="query",
        )
    writing = next((word for word in words if word in _WRITING), None)
    if writing is not None:
        raise Refusal(
            f"The query may only read, and it holds the word {writing.upper()}.",
            "If that is the name of a column, put it in double quotation marks.",
            field="query",
        )
    return Query(text)


def check_throughout(query: Query) -> None:
    """Check a query for a database that is not opened for reading only, quotations and all.

    Databases differ in where a quotation or a comment ends, and so in which words are run.

    Raises:
        Refusal: a semicolon or a word that writes stands somewhere in it; `field` is "query".
    """
    writing = next((word for word in _words(query.text) if word in _WRITING), None)
    if writing is not None or ";" in query.text:
        what = "a semicolon" if writing is None else f"the word {writing.upper()}"
        raise Refusal(
            f"The query holds {what}, if only in quotation marks or a comment; of this kind of "
            "database, it could be run.",
            "Have what the query says put into a view, and enter the name of that.",
            field="query",
        )


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
