"""Plays to decide: the legal labels, and the card sets that realise them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import GameError
from abl_cards.games.play import walk
from abl_cards.games.play.state import LEADING
from abl_cards.games.play.view import View
from abl_cards.games.play.walk import Room, new_room
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices, MoveLists, Moves
from abl_cards.parallel import each_share

_FOLLOWING = 32  # a guess at how many card sets follow a play; leading, it is about the square of the cards held


class Decisions:
    """The plays to decide at n tables, from the eyes of the seats that decide."""

    def __init__(self, view: View) -> None:
        """What these seats see."""
        self.view = view

    @property
    def rules(self) -> Rules:
        """By what they play."""
        return self.view.rules

    @property
    def which(self) -> Indices:
        """[n] the tables."""
        return self.view.which

    @property
    def to_beat(self) -> NDArray[np.int16]:
        """[n] form, or LEADING."""
        return self.view.to_beat

    @property
    def context(self) -> NDArray[np.int16]:
        """[n] what the order of the labels depends on."""
        return self.view.context

    @cached_property
    def _answers(self) -> NDArray[np.uint8]:
        return self.rules.play.ask(len(self.view), self.view.fills)

    @property
    def legal(self) -> NDArray[np.uint8]:
        """[labels, n] the mask of legal labels."""
        return self._answers[: len(self.rules.labels)]

    @property
    def allowed(self) -> NDArray[np.uint8]:
        """[forms, n] the forms the seat could lay down."""
        first = len(self.rules.labels)
        return self._answers[first : first + len(self.rules.forms)]

    @property
    def label_to_beat(self) -> NDArray[np.int16]:
        """[n] the label of the play to beat, -1 when leading."""
        return np.where(self.to_beat < 0, np.int16(LEADING), self.rules.forms.label_of[self.to_beat])

    @property
    def ranking(self) -> NDArray[np.int32]:
        """[n, labels] the place of each label when they are sorted from weak to strong."""
        return self.rules.ranking[self.context]

    def labels_of(self, form: NDArray[np.int16]) -> NDArray[np.int16]:
        """The labels that forms belong to."""
        return self.rules.forms.label_of[form]

    def realise_first(self, labels: NDArray[np.int16]) -> Moves:
        """The first card set in the order of lists of one legal label each."""
        return self._realise(labels, np.empty(0, np.uint64))

    def realise_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """A card set of one legal label each, drawn uniformly from keys [n]."""
        return self._realise(labels, keys)

    def _realise(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        n, view = len(self.view), self.view
        moves, found = self._room(n), np.zeros(n, np.int64)
        way = (self.to_beat < 0).astype(np.int8)
        each_share(n, lambda lo, hi: walk.realise(
            self.rules.book, view.hand, view.context, way, labels, self.allowed, keys, lo, hi, *moves, self._walk_room(),
            found,
        ))  # fmt: skip
        if not found.all():
            self._complain(int(found.argmin()), labels)
        return moves

    def _complain(self, row: int, labels: NDArray[np.int16]) -> None:
        label = self.rules.labels[labels[row]]
        raise GameError(f"legal/1 allows {label} to seat {self.view.seats[row]}, which holds no cards for it: see playable/1")

    def moves(self, labels: NDArray[np.int16] | None = None) -> MoveLists:
        """All legal card sets in the order of lists, or those of one label each."""
        n = len(self.view)
        chosen = np.full(n, walk.EVERY_LABEL, np.int16) if labels is None else labels
        held = self.view.hand.sum(axis=1, dtype=np.int64)
        guess = np.where(self.to_beat < 0, held**2 * 5 // 4, _FOLLOWING) if labels is None else held
        shares = each_share(n, lambda lo, hi: self._list(chosen, lo, hi, int(guess[lo:hi].sum())))
        lengths = np.concatenate([np.diff(share.start) for share in shares])
        return MoveLists(
            np.concatenate([[0], lengths.cumsum()]),
            np.concatenate([share.form for share in shares]),
            np.concatenate([share.cards for share in shares]),
        )

    def _list(self, labels: NDArray[np.int16], lo: int, hi: int, room: int) -> MoveLists:
        start, view = np.zeros(hi + 1, np.int64), self.view
        way = (self.to_beat < 0).astype(np.int8)
        while True:
            moves = self._room(room)
            found = walk.list_moves(
                self.rules.book, view.hand, view.context, way, labels, self.legal, self.allowed, lo, hi, start, *moves,
                self._walk_room(),
            )  # fmt: skip
            if found <= room:
                return MoveLists(start[lo:], moves.form[:found], moves.cards[:found])
            room = found

    def _room(self, n: int) -> Moves:
        return Moves(np.empty(n, np.int16), np.empty((n, self.rules.forms.most_cards), np.uint8))

    def _walk_room(self) -> Room:
        book = self.rules.book
        return new_room(*book.kind.shape, self.rules.forms.most_cards, int(book.blocks[:, walk.KICKERS].max()))


Kernel = Callable[[int, int, Moves], None]
