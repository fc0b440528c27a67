"""Figures of what is measured and explored of seedbased synthesis alone."""
