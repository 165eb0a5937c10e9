"""Answer the states that ``abl-cards legal`` reads, in batches of lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from abl_cards.asp import KBError
from abl_cards.cli.console import load_engine, shorten
from abl_cards.core import GameError, NumberedLine, TooManyMovesError, open_maybe_gzip, parse_json_line
from abl_cards.games import Engine, Game


@contextmanager
def open_input(file: Path | None) -> Iterator[IO[bytes]]:
    """Open a file, plain or gzip, or stdin for None."""
    if file is None:
        yield sys.stdin.buffer
    else:
        with open_maybe_gzip(file) as stream:
            yield stream


@dataclass
class LegalMoveAnswerer:
    """Lists the legal moves of states of a game; each state may name a profile.

    Attributes:
        game: The game.
        directory: Folder of rule files to use instead of the game's.
        profile: Profile of states that name none.
        labels: Whether answers include the legal labels.
        composed: Whether answers list whole plays where a game lays them card by card.
    """

    game: Game
    directory: Path | None
    profile: str | None
    labels: bool
    composed: bool = False
    _engines: dict[str | None, Engine | KBError | GameError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._engines[None] = load_engine(self.game, self.directory, self.profile)

    def answer_in_parts(self, batch: list[NumberedLine]) -> Iterator[dict[str, Any]]:
        """Answer the lines of a batch, in smaller batches if they have too many moves for one call."""
        try:
            answers = self.answer_batch(batch)
        except TooManyMovesError:
            half = len(batch) // 2
            yield from self.answer_in_parts(batch[:half])
            yield from self.answer_in_parts(batch[half:])
        else:
            yield from answers

    def answer_batch(self, batch: list[NumberedLine]) -> list[dict[str, Any]]:
        """Return an answer for each line that is not empty, in order."""
        answers: dict[int, dict[str, Any]] = {}
        groups: dict[str | None, dict[int, Mapping[str, Any]]] = {}
        for number, line in batch:
            if not line.strip():
                continue
            try:
                state = parse_json_line(line)
                groups.setdefault(self.game.profile_for(state, self.directory), {})[number] = state
            except GameError as problem:
                answers[number] = _error_json(number, problem)
        for profile, states in groups.items():
            answers |= self._answer_states(profile, states)
        return [answers[number] for number, _ in batch if number in answers]

    def _answer_states(self, profile: str | None, states: Mapping[int, Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
        from abl_cards.games.notation import legal_composed_moves, legal_labels, legal_moves

        engine = self._engine(profile)
        if isinstance(engine, (KBError, GameError)):
            return {number: _error_json(number, engine) for number in states}
        state_list = list(states.values())
        answers = {
            number: _error_json(number, answer) if isinstance(answer, GameError) else {"moves": answer}
            for number, answer in zip(
                states,
                (legal_composed_moves if self.composed else legal_moves)(engine.rules, state_list),
                strict=True,
            )
        }
        if self.labels:
            for number, labels in zip(states, legal_labels(engine.rules, state_list), strict=True):
                if not isinstance(labels, GameError):
                    answers[number]["labels"] = labels
        return answers

    def _engine(self, profile: str | None) -> Engine | KBError | GameError:
        if profile not in self._engines:
            try:
                self._engines[profile] = load_engine(self.game, self.directory, profile)
            except (KBError, GameError) as problem:
                self._engines[profile] = problem
        return self._engines[profile]


def _error_json(number: int, problem: Exception) -> dict[str, Any]:
    return {"error": f"line {number}: {shorten(' '.join(str(problem).split()))}"}
