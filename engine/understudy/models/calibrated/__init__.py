"""The private model of a whole table: noisy counts of columns and of pairs, and weighted records
that are calibrated to them.

Everything here is for one budget over all the records it is given. What each step asks of the
records, and what that costs, is in `learner`; the rest is arithmetic on noisy numbers.
"""
