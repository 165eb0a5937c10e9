"""Everything in the browser, on one port of this machine: tables to play at, records looked over, tables watched.

Needs the libraries of the extra ``page``. Nothing here knows a game: cards, seats, areas and words come from folders.
The state of a table is the engine's; browsers are shown it anew whenever it changes, and keep none of their own.
"""

from abl_cards.page.plan import Plan
from abl_cards.page.server import serve

__all__ = ["Plan", "serve"]
