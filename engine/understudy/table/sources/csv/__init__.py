"""CSV files, in the widest sense: cells separated by a character."""
