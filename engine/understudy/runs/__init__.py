"""Runs: planned, debited, done in a process of their own, watched from disk.

A run ends with its evaluation, so this room stands above synthesis and evaluation both.
"""
