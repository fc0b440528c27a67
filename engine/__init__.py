"""Seedbased synthesis with a plausible-deniability test, as a library.

Data flows one way: table → models → synthesis → evaluation, with privacy beside
them. Nothing here imports the dashboard.
"""

__version__ = "0.1.0"
