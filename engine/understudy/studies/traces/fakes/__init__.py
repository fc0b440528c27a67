"""Fake traces as Bindschaedler published them (dissertation, 2018, sections 6.1 and 7), what they
are worth, and who sees through them. They carry no guarantee: for simulated or public traces only.
"""
