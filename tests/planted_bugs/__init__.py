"""Bugs planted on purpose: a list drawn by a seed, and a check that a named test finds each of them."""
