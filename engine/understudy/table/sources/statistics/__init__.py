"""Stata, SPSS and SAS files."""
