"""The words of a game: cards, plays and states as text and JSON, records, and tables as pictures."""
