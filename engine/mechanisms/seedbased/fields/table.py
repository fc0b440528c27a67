"""The settings of a plan, each described once; see `engine.mechanisms.fields`."""

from __future__ import annotations

from typing import Final

from engine.mechanisms.fields import Table
from engine.mechanisms.seedbased.fields.of_accuracy import THE_ACCURACY
from engine.mechanisms.seedbased.fields.of_candidates import THE_CANDIDATES
from engine.mechanisms.seedbased.fields.of_marks import THE_MARKS
from engine.mechanisms.seedbased.fields.of_model import THE_MODEL
from engine.mechanisms.seedbased.fields.of_promise import THE_PROMISE
from engine.mechanisms.seedbased.fields.of_records import THE_RECORDS
from engine.mechanisms.seedbased.fields.of_test import THE_TEST

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
