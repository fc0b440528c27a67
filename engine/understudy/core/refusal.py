"""Why input is refused: a sentence that names the problem, and one that says what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from understudy.core.text_escape import shorten_message


class Refusal(ValueError):
    """Input that cannot be used. Invisible characters in its sentences are escaped, and sentences
    too long to read are shortened.

    Attributes:
        problem: a sentence that names the thing (file, column, setting) and what is wrong
            with it. Never a confidential value: a position, a count or a name instead.
        remedy: a sentence that says what to do about it.
        field: the setting or column the sentence belongs beside, where there is one.
    """

    def __init__(self, problem: str, remedy: str, *, field: str | None = None) -> None:
        problem, remedy = shorten_message(problem), shorten_message(remedy)
        super().__init__(f"{problem} {remedy}")
        self.problem = problem
        self.remedy = remedy
        self.field = field


@contextmanager
def name_answers(answers: Mapping[str, str], place: str) -> Iterator[None]:
    """Add to a refusal what answers it, as whoever is refused has it at hand.

    Args:
        answers: options or arguments, by the field of the refusal.
        place: where they are given, such as “In Python”.

    Raises:
        Refusal: what was refused, with these answers.
    """
    try:
        yield
    except Refusal as refusal:
        answer = answers.get(refusal.field or "")
        if answer is None:
            raise
        remedy = f"{refusal.remedy} {place}: {answer}."
        raise Refusal(refusal.problem, remedy, field=refusal.field) from None
