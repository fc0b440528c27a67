"""Measures of days, a module for each group of them."""
