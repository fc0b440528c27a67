"""The bound tables of the source beside exact figures."""

from understudy.mechanisms.imputation.reproduction.bounds import Bounds

REPRODUCTIONS = (Bounds(),)
