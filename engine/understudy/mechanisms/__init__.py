"""Methods that make a release from a table: one folder each."""
