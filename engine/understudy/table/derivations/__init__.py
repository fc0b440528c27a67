"""Columns that are a public function of others: one class a kind, registered in `registry.py`."""
