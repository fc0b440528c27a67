"""How close a synthetic table is to real records. All of it is internal:
computed from confidential records without noise, shown to the custodian, never exported."""
