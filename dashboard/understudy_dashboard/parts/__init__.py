"""Pieces of pages: what a page would otherwise be too long for."""
