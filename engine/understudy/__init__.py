"""Mechanisms that turn a confidential table into a synthetic one under a proven guarantee.

CONTRIBUTING.md says what is in which room. Nothing here imports the dashboard.
"""

__version__ = "0.1.0"
