"""Replay records up to given acts, and find the acts that are plays or choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation.records import read_record
from abl_cards.games.notation.replay import Replayer
from abl_cards.games.tables import Choices, Decisions, Tables


def replay_to_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]], acts: Sequence[int]) -> Tables:
    """Replay each record up to an act (numbered from 1) at a table of its own; raises GameError for illegal acts."""
    parsed = [read_record(rules, record) for record in records]
    for record, number in zip(parsed, acts, strict=True):
        if type(number) is not int or not 1 <= number <= len(record.acts) + 1:
            raise GameError(f"there is no act {number}: the record has {len(record.acts)}", ErrorCode.INVALID_RECORD)
    replayer = Replayer(rules, parsed)
    replayer.tables.record_history()
    while not replayer.errors and replayer.step([number - 1 > replayer.n_acts_done for number in acts]):
        pass
    if replayer.errors:
        raise GameError(replayer.errors[min(replayer.errors)], ErrorCode.INVALID_RECORD)
    waiting = {*replayer.tables.rows_to_play().tolist(), *replayer.tables.rows_to_choose().tolist()}
    num_decisions = replayer.tables.num_decisions
    ended = [number for table, number in enumerate(acts) if table not in waiting or num_decisions[table] < number - 1]
    if ended:
        problem = f"act {ended[0]}: the episode is over; choose an act before it (--move N)"
        raise GameError(problem, ErrorCode.INVALID_RECORD)
    return replayer.tables


def find_play_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Find the acts of records that are plays, not choices.

    Args:
        rules: Compiled game.
        records: JSON records of episodes.

    Returns:
        For each record, the numbers of its plays, from 1; empty for an invalid record.
    """
    return _find_acts(rules, records, Tables.rows_to_play)


def find_choice_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Find the acts of records that are choices: bids, cards that are given.

    Args:
        rules: Compiled game.
        records: JSON records of episodes.

    Returns:
        For each record, the numbers of its choices, from 1; empty for an invalid record.
    """
    return _find_acts(rules, records, Tables.rows_to_choose)


def _find_acts(
    rules: CompiledGame, records: Sequence[Mapping[str, Any]], find_rows: Callable[[Tables], NDArray[np.int64]]
) -> list[list[int]]:
    acts: list[list[int]] = [[] for _ in records]
    parsed = {}
    for index, record in enumerate(records):
        try:
            parsed[index] = read_record(rules, record)
        except GameError:
            continue
    if not parsed:
        return acts
    replayer, indices = Replayer(rules, list(parsed.values())), list(parsed)
    going = True
    while going:
        waiting, number = find_rows(replayer.tables).tolist(), replayer.n_acts_done + 1
        going = replayer.step([True] * len(indices))
        for table in waiting:
            if going and table not in replayer.errors:
                acts[indices[table]].append(number)
    for table in replayer.errors:
        acts[indices[table]] = []
    return acts


def decisions_at_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]], acts: Sequence[int]) -> Decisions:
    """Return the decision before one act of each record.

    Args:
        rules: Compiled game.
        records: JSON records of episodes.
        acts: Number of an act of each record, from 1.

    Returns:
        Decisions in the order of the records.

    Raises:
        GameError: A record is invalid, or its act is a choice.
    """
    tables = replay_to_acts(rules, records, acts)
    _refuse_acts(acts, tables.rows_to_choose(), "a choice, not a play")
    return tables.decisions(np.arange(len(tables)))


def choices_at_acts(rules: CompiledGame, records: Sequence[Mapping[str, Any]], acts: Sequence[int]) -> Choices:
    """Return the choice before one act of each record.

    Args:
        rules: Compiled game.
        records: JSON records of episodes.
        acts: Number of an act of each record, from 1.

    Returns:
        Choices in the order of the records.

    Raises:
        GameError: A record is invalid, or its act is a play.
    """
    tables = replay_to_acts(rules, records, acts)
    _refuse_acts(acts, tables.rows_to_play(), "a play, not a choice")
    return tables.choices(np.arange(len(tables)))


def _refuse_acts(acts: Sequence[int], rows: NDArray[np.int64], kind: str) -> None:
    """Raise GameError if there are records whose act is of the other kind."""
    if rows.size:
        raise GameError(f"act {acts[int(rows[0])]} is {kind}", ErrorCode.INVALID_RECORD)
