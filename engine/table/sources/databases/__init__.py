"""Databases, read only."""
