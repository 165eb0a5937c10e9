"""The command ``abl-cards``."""

from abl_cards.cli.app import app, main

__all__ = ["app", "main"]
