"""The tables and figures of Snoke and Slavković (2018), run again beside the published ones."""

from understudy.studies.pmse.tables import Tables

REPRODUCTIONS = (Tables(),)
