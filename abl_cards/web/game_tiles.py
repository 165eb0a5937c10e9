"""Tiles of the games on the home screen: title, number of seats and three cards of each game folder.

Titles and seats are read from the text of the rules, which takes milliseconds. Cards need the grounded rules; they are
read in the background once the first table is ready, and kept in the state folder for later starts.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from abl_cards import __version__
from abl_cards.core import LANGUAGES, GameError, atomic_write

if TYPE_CHECKING:
    from abl_cards.games.description import Folder

FILE_NAME = "tiles.json"
NUM_CARDS = 3
_MAX_BYTES = 1 << 20
_SEATS = re.compile(r"^seat\((\d+)\.\.(\d+)\)\.", re.MULTILINE)
_INCLUDES = re.compile(r"^#include\s*<(\w+)>", re.MULTILINE)
log = logging.getLogger(__name__)

Tile = dict[str, Any]


class GameTiles:
    """Tiles of the offered games; loads nothing of the engine before the first call of `read`."""

    def __init__(self, extra_games: Sequence[str], state_folder: Path | None) -> None:
        """Read the stored tiles.

        Args:
            extra_games: Games and rule folders that are offered besides the shipped games.
            state_folder: Folder in which tiles are stored; None to store nothing.
        """
        self._extra_games = tuple(extra_games)
        self._file = state_folder / FILE_NAME if state_folder is not None else None
        self.default_game = ""  # set when the engine is loaded
        self._stored, self._lock, self._is_closed = self._read_stored(), Lock(), False

    def read(self) -> list[Tile]:
        """Return the tiles; ``cards`` is empty for a game whose cards are not known yet."""
        with self._lock:
            return [self._make_tile(name, folder) for name, folder in self._folders()]

    def complete(self) -> None:
        """Read the cards of games whose stored tiles are missing or old, and store all tiles."""
        for name, folder in self._folders():
            if self._is_closed:
                return
            with self._lock:
                is_known = bool(self._make_tile(name, folder)["cards"])
            if not is_known:
                try:
                    fields = _read_ground_facts(folder)
                except (GameError, ValueError, OSError) as error:  # reported where the game is opened
                    log.info("%s: %s", name, str(error).partition("\n")[0])
                    continue
                with self._lock:
                    tile = self._make_tile(name, folder) | fields
                    self._stored[name] = {"for": _fingerprint(folder), "tile": tile}
        self._store()

    def close(self) -> None:
        """Stop a running `complete` after its current game."""
        self._is_closed = True

    def _folders(self) -> Iterable[tuple[str, Folder]]:
        from abl_cards.games import game_names, load

        games = [load(name) for name in (*game_names(), *self._extra_games)]
        yield from {game.name: game.folder for game in games}.items()

    def _make_tile(self, name: str, folder: Folder) -> Tile:
        """Return the stored tile, or one by the text of the rules."""
        stored = self._stored.get(name)
        fingerprint = _fingerprint(folder)
        if stored is None or stored["for"] != fingerprint:
            tile = {"name": name, "title": title_pair(folder), "seats": _seats_in_text(folder), "cards": []}
            stored = self._stored[name] = {"for": fingerprint, "tile": tile}
        return dict(stored["tile"])

    def _read_stored(self) -> dict[str, dict[str, Any]]:
        try:
            if self._file is None or self._file.stat().st_size > _MAX_BYTES:
                return {}
            stored = json.loads(self._file.read_text(encoding="utf-8"))
            if not isinstance(stored, dict) or stored.get("version") != __version__:
                return {}
            self.default_game = str(stored["default"])
            entries = stored["tiles"].items()
            return {name: entry for name, entry in entries if {"for", "tile"} <= set(entry) and _is_tile(entry["tile"])}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}

    def _store(self) -> None:
        if self._file is None:
            return
        try:
            with self._lock, atomic_write(self._file, durable=False) as stream:
                stored = {"version": __version__, "default": self.default_game, "tiles": self._stored}
                stream.write(json.dumps(stored, ensure_ascii=False).encode())
        except OSError as error:  # only the next start is slower
            log.warning("%s", error)


def title_pair(folder: Folder) -> list[str]:
    """Return the title of a folder in both languages; without titles, the name of the folder."""
    titles = folder.titles
    fallback = next(iter(titles.values()), folder.name)
    return [titles.get("en") or folder.name.replace("_", " ").capitalize(), titles.get("zh", fallback)]


def _is_tile(tile: Any) -> bool:
    types = {"name": str, "title": list, "seats": int, "cards": list}
    return isinstance(tile, dict) and all(isinstance(tile.get(field), kind) for field, kind in types.items())


def _fingerprint(folder: Folder) -> list[list[Any]]:
    """Return names, times and sizes of the rule files."""
    stats = [(file.name, file.stat()) for file in folder.layers.files if file.exists()]
    return [[name, stat.st_mtime_ns, stat.st_size] for name, stat in stats]


def _seats_in_text(folder: Folder) -> int:
    """Return the number of seats that a fact such as ``seat(0..3).`` states; 0 where it is derived otherwise."""
    pending, visited = list(folder.layers.files), set[Path]()
    while pending:
        file = pending.pop(0)
        if file in visited or not file.is_file():
            continue
        visited.add(file)
        text = file.read_text(encoding="utf-8", errors="replace")
        match = _SEATS.search(text)
        if match:
            return int(match[2]) - int(match[1]) + 1
        names = _INCLUDES.findall(text)
        pending += [directory / f"{name}.lp" for directory in folder.include_paths for name in names]
    return 0


def _read_ground_facts(folder: Folder) -> dict[str, Any]:
    """Return the number of seats and three cards of the pack; raises KBError, a GameError, for invalid rules."""
    from abl_cards.asp import string_value
    from abl_cards.games.description import load_game_knowledge, read_pack

    kb = load_game_knowledge(folder, folder.default_profile)
    letters = {term: string_value(text) for term, text in kb.facts("letter", 2)}
    words = {(term, str(language)): string_value(text) for term, language, text in kb.facts("word", 3)}
    words |= {(term, str(language)): string_value(text) for _, term, language, text in kb.facts("word", 4)}
    kinds = choose_cards(read_pack(kb).kinds)
    return {
        "seats": len(list(kb.facts("seat", 1))),
        "cards": [_card_json(kind, letters, words, kind == kinds[-1]) for kind in kinds],
    }


def choose_cards(kinds: Sequence[Any]) -> list[Any]:
    """Choose three kinds of cards that differ in rank and suit as far as the pack allows, the last kind included.

    >>> choose_cards(["card(13,h)", "card(13,s)", "card(14,h)", "card(14,s)"])
    ['card(13,h)', 'card(14,s)']
    """
    from abl_cards.games.description import parse_rank_and_suit

    chosen: list[Any] = []
    used: set[Any] = set()
    for kind in reversed(kinds):
        parts = parse_rank_and_suit(kind)
        marks = {("rank", parts[0]), ("suit", parts[1])} if parts else {("rank", kind)}
        if not marks & used:
            chosen.append(kind)
            used |= marks
        if len(chosen) == NUM_CARDS:
            break
    return chosen[::-1]


def _card_json(kind: Any, letters: dict[Any, str], words: dict[Any, str], is_last: bool) -> dict[str, Any]:
    """Return a card as the browser draws it."""
    from abl_cards.games.description import SUIT_SYMBOLS, parse_rank_and_suit

    parts = parse_rank_and_suit(kind)
    if parts is None or kind in letters:
        rank = parts[0] if parts else kind
        text = letters.get(kind) or letters.get(rank) or str(kind)
        names = [next((words[key] for key in ((kind, code), (rank, code)) if key in words), text) for code in LANGUAGES]
        is_named = any(name != text for name in names)
        return {"rank": text, "suit": "", "symbol": "", "name": names, "isNamed": is_named, "isTop": is_last}
    rank_text, suit = (letters.get(part, str(part)) for part in parts)
    symbol = SUIT_SYMBOLS.get(suit, suit)
    return {"rank": rank_text, "suit": suit, "symbol": symbol, "name": [symbol + rank_text] * 2, "isNamed": False}
