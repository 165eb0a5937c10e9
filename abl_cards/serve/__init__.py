"""Tables where other programs sit down, and seats at the tables of others; needs the library websockets.

>>> import asyncio
>>> from abl_cards.games import game
>>> plan = Plan("guandan", game("guandan").engine(), {seat: "greedy" for seat in range(4)}, port=0)
>>> asyncio.run(serve(plan)).games
1
"""

from abl_cards.serve.guest import GuestResult, join
from abl_cards.serve.house import House, Plan, serve
from abl_cards.serve.results import SeatResult, ServedResult, TableResult

__all__ = ["GuestResult", "House", "Plan", "SeatResult", "ServedResult", "TableResult", "join", "serve"]
