"""How close a synthetic table is, and how often candidates pass. All of it is internal:
computed from confidential records without noise, shown to the custodian, never exported."""
