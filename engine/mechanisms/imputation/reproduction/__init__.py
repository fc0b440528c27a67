"""The bound tables of the source beside exact figures."""

from engine.mechanisms.imputation.reproduction.bounds import Bounds

REPRODUCTIONS = (Bounds(),)
