"""Random rule folders and the checks that run on each: ``python -m tests.fuzz --folders 2000 --seed 1``."""
