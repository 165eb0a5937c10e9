"""Open hands near the end, as numbers that a search can work through; see positions.py."""
