"""Checks of random rule folders: ``python -m tests.fuzz --folders 2000 --seed 1``."""
