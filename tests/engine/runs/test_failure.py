from __future__ import annotations

from understudy.runs.watched import Progress, failure_of


def test_a_failure_says_what_went_wrong_and_what_to_do() -> None:
    failed = failure_of(Progress("failed", 1, message="The disk is full. Free some space."))
    assert (failed.state, failed.unforeseen) == ("failed", False)
    assert (failed.problem, failed.remedy) == ("The disk is full.", "Free some space.")
    assert str(failed) == "The disk is full. Free some space."


def test_a_fault_of_the_program_is_told_apart() -> None:
    fault = failure_of(Progress("failed", 1, message="It met an Oops.", unforeseen=True))
    assert fault.unforeseen
    assert str(fault) == "It met an Oops."


def test_what_was_cancelled_says_so() -> None:
    assert failure_of(Progress("cancelled", 1)).state == "cancelled"
