"""abl-cards: Chinese card games whose rules are answer-set programs, and agents that learn by abduction."""

__version__ = "0.1.0"

PLATFORM_PACKAGES = {"botzone": "abl_cards.protocols.botzone", "contest": "abl_cards.protocols.contest"}
"""The package with the protocol of each platform that a rule folder may name by ``platform(Name)``."""
