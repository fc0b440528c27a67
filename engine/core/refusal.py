"""The one way to say no: a sentence that names the thing, and one that says what to do."""

from __future__ import annotations

from engine.core.visible import said


class Refusal(ValueError):
    """Input that cannot be used. Its sentences show every letter of the names they quote, and no
    more than a person reads.

    Attributes:
        problem: a sentence that names the thing (file, column, setting) and what is wrong
            with it. Never a confidential value: a position, a count or a name instead.
        remedy: a sentence that says what to do about it.
        field: the setting or column the sentence belongs beside, where there is one.
    """

    def __init__(self, problem: str, remedy: str, *, field: str | None = None) -> None:
        problem, remedy = said(problem), said(remedy)
        super().__init__(f"{problem} {remedy}")
        self.problem = problem
        self.remedy = remedy
        self.field = field
