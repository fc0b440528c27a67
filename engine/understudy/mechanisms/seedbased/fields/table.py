"""The settings of a plan, each described once; see `understudy.mechanisms.fields`."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.fields import Table
from understudy.mechanisms.seedbased.fields.of_accuracy import THE_ACCURACY
from understudy.mechanisms.seedbased.fields.of_candidates import THE_CANDIDATES
from understudy.mechanisms.seedbased.fields.of_marks import THE_MARKS
from understudy.mechanisms.seedbased.fields.of_model import THE_MODEL
from understudy.mechanisms.seedbased.fields.of_promise import THE_PROMISE
from understudy.mechanisms.seedbased.fields.of_records import THE_RECORDS
from understudy.mechanisms.seedbased.fields.of_test import THE_TEST

FIELDS: Final = Table(
    (
        *THE_TEST,
        *THE_CANDIDATES,
        *THE_PROMISE,
        *THE_MODEL,
        *THE_MARKS,
        *THE_RECORDS,
        *THE_ACCURACY,
    ),
    derived={"domain": "the fingerprint of the schema that the plan is made for"},
)
"""All of them."""
