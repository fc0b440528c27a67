"""What the pMSE mechanism is compared with, on simulated tables of two columns.

For comparisons only: noise is drawn in floating point by an ordinary generator, so that nothing of
it may be released.
"""
