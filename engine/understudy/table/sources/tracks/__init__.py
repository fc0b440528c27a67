"""Tracks as receivers write them: GPX and PLT files, one or many."""
