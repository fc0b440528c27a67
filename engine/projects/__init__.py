"""A project: what was decided about one table, in a folder; never the table unless asked."""
