"""The published evaluation of latent models on medical records, run again."""

from understudy.studies.latent.medical import Medical

REPRODUCTIONS = (Medical(),)
