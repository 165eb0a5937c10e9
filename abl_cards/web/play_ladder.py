"""Find the plays of each kind that may follow a play on the table, by the engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import LEADING, NO_CARD, ONLY_TABLE, Moves
from abl_cards.web.play_kinds import (
    PlayExample,
    PlayKind,
    are_legal,
    find_accepted_examples,
    find_examples,
    play_kinds,
    set_hands,
    tables_with_hands,
)

ALL, SOME, NONE = "all", "some", "none"
MAX_LISTED, MAX_TRIED = 12, 8


@dataclass(frozen=True)
class KindAnswer:
    """Plays of one kind that may follow a play.

    Attributes:
        kind: The kind.
        extent: ALL, SOME or NONE of the plays.
        weakest: Weakest play that beats it; None if none does.
        too_low: Strongest play with as many cards that does not, shown where only some do.
        only: All plays that beat it, where a stronger play may not; empty if every stronger play does.
    """

    kind: PlayKind
    extent: str
    weakest: PlayExample | None = None
    too_low: PlayExample | None = None
    only: tuple[PlayExample, ...] = ()


@dataclass(frozen=True)
class Ladder:
    """Answers to a play, kind by kind.

    Attributes:
        example: The play on the table.
        answers: Answers by kind, those that beat it first.
        ends: Whether no reply is possible, as the play ends the trick.
    """

    example: PlayExample
    answers: tuple[KindAnswer, ...]
    ends: bool


def beating_labels(engine: Engine, example: PlayExample) -> NDArray[np.bool_] | None:
    """Return which labels may follow a play, for the next seat with the whole pack; None if the play ends the trick.

    Args:
        engine: Engine of the game.
        example: The play on the table.

    Returns:
        [labels] mask without the pass.
    """
    mask = _legal_answers(engine, example)
    if mask is not None:
        mask[engine.rules.forms.label_of[engine.rules.forms.pass_form]] = False
    return mask


def can_pass(engine: Engine, example: PlayExample) -> bool:
    """Return whether the next seat, which could beat a play, may pass."""
    mask = _legal_answers(engine, example)
    return mask is None or bool(mask[engine.rules.forms.label_of[engine.rules.forms.pass_form]])


def _legal_answers(engine: Engine, example: PlayExample) -> NDArray[np.bool_] | None:
    """Return the mask of the legal labels of the next seat, [labels]; None if the play ends the trick."""
    tables = _table_after(engine, example)
    return None if tables is None else Decisions(tables.decisions(ONLY_TABLE).view).legal_mask[:, 0].astype(np.bool_)


def _table_after(engine: Engine, example: PlayExample) -> Tables | None:
    """Return a table where the next seat answers a play, with the whole pack; None if the play ends the trick."""
    tables = tables_with_hands(engine, None)
    cards = np.full((1, max(engine.rules.max_play_cards, len(example.cards))), NO_CARD, np.uint8)
    cards[0, : len(example.cards)] = example.cards
    tables.play(ONLY_TABLE, Moves(np.array([example.form], np.int16), cards))
    if not tables.rows_to_play().size or tables.state.to_beat[0] == LEADING:
        return None
    return tables


def find_ladder(engine: Engine, example: PlayExample) -> Ladder:
    """Find the plays that beat a play, kind by kind.

    Args:
        engine: Engine of a game in which higher plays are made.
        example: The play on the table.
    """
    mask = beating_labels(engine, example)
    if mask is None:
        return Ladder(example, (), True)
    answers = [_answer_of(engine, kind, mask, example) for kind in play_kinds(engine)]
    return Ladder(example, tuple(sorted(answers, key=lambda answer: answer.extent == NONE)), False)


def _answer_of(engine: Engine, kind: PlayKind, mask: NDArray[np.bool_], example: PlayExample) -> KindAnswer:
    labels = np.array(kind.labels)
    beats = mask[labels]
    if not beats.any():
        return KindAnswer(kind, NONE)
    weakest = _first_answer(engine, labels[beats].tolist(), example)
    if beats.all():
        return KindAnswer(kind, ALL, weakest)
    sizes = engine.rules.forms.label_min_cards[labels]
    same = labels[~beats & (sizes == engine.rules.forms.label_min_cards[example.label])]
    below = [label for label in same.tolist() if label != example.label] or same.tolist()
    if not _is_upward(beats, sizes):
        found = find_examples(engine, labels[beats].tolist()[:MAX_LISTED])
        return KindAnswer(kind, SOME, weakest, None, tuple(found.values()))
    return KindAnswer(kind, SOME, weakest, _first_example(engine, below[::-1]))


def _is_upward(beats: NDArray[np.bool_], sizes: NDArray[np.int16]) -> bool:
    """Return whether a play that is stronger than one that beats, with as many cards, beats as well."""
    return all(bool((np.diff(beats[sizes == size].astype(np.int8)) >= 0).all()) for size in np.unique(sizes))


def _first_answer(engine: Engine, labels: list[int], example: PlayExample) -> PlayExample | None:
    """Return the first example of the labels that may follow a play; of a label that may, not every play does."""
    table = _table_after(engine, example)
    assert table is not None
    for label in labels[:MAX_TRIED]:
        answers = find_accepted_examples(engine, [label])
        tables = table.copy(np.zeros(len(answers), np.int64))
        set_hands(tables, [answer.cards for answer in answers])
        for answer, is_legal in zip(answers, are_legal(tables, answers), strict=True):
            if is_legal:
                return answer
    return None


def _first_example(engine: Engine, labels: list[int]) -> PlayExample | None:
    for label in labels[:MAX_TRIED]:
        found = find_examples(engine, [label])
        if found:
            return found[label]
    return None
