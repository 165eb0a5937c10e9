"""The stream of ``abl-cards legal``: lines of states in, answers out, many at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from abl_cards.cli.console import load_engine, profiles_of, shorten
from abl_cards.errors import GameError, TooManyAtOnce
from abl_cards.games import Engine, Game
from abl_cards.lines import Line, parse_line, reading
from abl_cards.logic import KBError


@contextmanager
def source(file: Path | None) -> Iterator[IO[bytes]]:
    """The file, or stdin."""
    if file is None:
        yield sys.stdin.buffer
    else:
        with reading(file) as stream:
            yield stream


@dataclass
class Desk:
    """Answers states by the rules of a game; a state may ask for a profile of its own."""

    game: Game
    directory: Path | None
    profile: str | None
    labels: bool
    whole: bool = False
    _engines: dict[str | None, Engine | KBError | GameError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._engines[None] = load_engine(self.game, self.directory, self.profile)

    def in_parts(self, batch: list[Line]) -> Iterator[dict[str, Any]]:
        """The same a part of the lines at a time, where all of them have more moves than are listed at once."""
        try:
            answers = self.answers(batch)
        except TooManyAtOnce:
            half = len(batch) // 2
            yield from self.in_parts(batch[:half])
            yield from self.in_parts(batch[half:])
        else:
            yield from answers

    def answers(self, batch: list[Line]) -> list[dict[str, Any]]:
        """An answer for each line that is not empty."""
        found: dict[int, dict[str, Any]] = {}
        groups: dict[str | None, dict[int, Mapping[str, Any]]] = {}
        for number, line in batch:
            if not line.strip():
                continue
            try:
                state = parse_line(line)
                groups.setdefault(self._profile_of(state), {})[number] = state
            except GameError as problem:
                found[number] = _error(number, problem)
        for profile, states in groups.items():
            found |= self._by_profile(profile, states)
        return [found[number] for number, _ in batch if number in found]

    def _profile_of(self, state: Any) -> str | None:
        """What must be loaded for a state; None is what the command was called with."""
        named = state.get("profile") if isinstance(state, dict) else None
        if not isinstance(named, str):
            return None
        known = profiles_of(self.game, self.directory)
        if named not in known:
            raise GameError(f"profile: '{named}' is none of {', '.join(known) or '(there are none)'}")
        return named

    def _by_profile(self, profile: str | None, states: Mapping[int, Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
        engine = self._engine(profile)
        if isinstance(engine, (KBError, GameError)):
            return {number: _error(number, engine) for number in states}
        asked = list(states.values())
        found = {
            number: _error(number, answer) if isinstance(answer, GameError) else {"moves": answer}
            for number, answer in zip(
                states, (engine.whole_moves if self.whole else engine.legal_moves)(asked), strict=True
            )
        }
        if self.labels:
            for number, labels in zip(states, engine.legal_labels(asked), strict=True):
                if not isinstance(labels, GameError):
                    found[number]["labels"] = labels
        return found

    def _engine(self, profile: str | None) -> Engine | KBError | GameError:
        if profile not in self._engines:
            try:
                self._engines[profile] = load_engine(self.game, self.directory, profile)
            except (KBError, GameError) as problem:
                self._engines[profile] = problem
        return self._engines[profile]


def _error(number: int, problem: Exception) -> dict[str, Any]:
    return {"error": f"line {number}: {shorten(' '.join(str(problem).split()))}"}
