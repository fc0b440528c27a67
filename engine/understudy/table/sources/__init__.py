"""Reading files and databases as texts, record by record."""
