"""Changes of columns: what a model sees in place of a column of the file."""
