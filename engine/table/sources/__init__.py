"""Files and databases into texts, record by record."""
