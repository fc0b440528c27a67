"""The bound tables of the source beside exact figures."""

from understudy.studies.imputation.bounds import BoundsStudy

REPRODUCTIONS = (BoundsStudy(),)
