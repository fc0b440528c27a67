"""The private model of a whole table: a network bought for its price, and pairs on top.

Everything here is for one budget over all the records it is given. What each step asks of the
records, and what that costs, is in `learner`; the rest is arithmetic on noisy numbers.
"""
