"""Parts of the Ledger page alone."""
