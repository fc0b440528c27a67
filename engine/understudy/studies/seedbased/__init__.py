"""The evaluation that was published with the method, run again: on simulated people beside the
published numbers, and on a table of one's own."""

from understudy.studies.seedbased.reproductions import Census, OwnTable

REPRODUCTIONS = (Census(), OwnTable())
