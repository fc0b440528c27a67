"""The published evaluation of latent models on medical records, run again."""

from understudy.mechanisms.latent.reproduction.medical import Medical

REPRODUCTIONS = (Medical(),)
