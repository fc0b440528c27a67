"""The ledger: what was spent on which confidential table, and what became of it.

A chain of events that only ever grows. Everything said about a run, a dataset or a total is read
off the chain anew.
"""
