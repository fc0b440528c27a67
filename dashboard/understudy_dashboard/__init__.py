"""The local web page: six steps from a confidential table to a released one.

Pages show and ask; every number on them is one call of the engine.
"""
