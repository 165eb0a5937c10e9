"""abl-cards: Chinese card games whose rules are answer-set programs, and agents that learn by abduction."""

__version__ = "0.1.0"
