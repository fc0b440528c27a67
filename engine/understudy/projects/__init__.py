"""A project: a folder with all decisions about one table; the table itself only if requested."""
