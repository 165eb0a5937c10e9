"""Rewrite the golden playthroughs."""

from tests.games.playthroughs import write_all

if __name__ == "__main__":
    write_all()
