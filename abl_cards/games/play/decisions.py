"""Plays to decide: the legal labels, and the card sets that realise them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import TooManyAtOnce
from abl_cards.games.faults import check_few, check_laid, check_lists
from abl_cards.games.play import bare, fixed, one_set, walk
from abl_cards.games.play.book import Room, most_kickers, room_for
from abl_cards.games.play.decider import Decider
from abl_cards.games.play.state import count_cards
from abl_cards.games.play.tricks import taking
from abl_cards.games.play.view import View
from abl_cards.games.play.wanted import AT_ONCE, draw, hold, keep_labels, keep_sets, reaching
from abl_cards.games.tables import LEADING, MOST_SETS, Indices, MoveLists, Moves
from abl_cards.games.telling.knowledge import hints
from abl_cards.games.telling.writer import Fill
from abl_cards.games.words.letters import cards_of
from abl_cards.parallel import each_share
from abl_cards.streams import below_all

_FOLLOWING = 32  # a guess at how many card sets follow a play; leading, it is about the square of the cards held
_MOST_GUESSED = 60  # cards: a list for more is allocated when it is known how long it is
_MOST_BYTES = 1 << 30  # of the card sets of several decisions
_WALKS = 64  # decisions whose cards are walked that are worth a thread


DrawLabels = Callable[[int, int, NDArray[np.int16]], None]
"""Writes labels [n] of some decisions."""


class Decisions(Decider):
    """The plays to decide at n tables, from the eyes of the seats that decide."""

    def __init__(self, view: View) -> None:
        """What these seats see."""
        super().__init__(view)
        self._asked = view.rules.asked
        self._found: NDArray[np.uint8] | None = None

    @classmethod
    def answered(cls, view: View, legal: NDArray[np.uint8], allowed: NDArray[np.uint8]) -> Decisions:
        """Decisions of which somebody says what is legal: labels [labels, n] and forms [forms, n]."""
        decisions = cls(view)
        decisions._asked = view.rules.asked_whole
        decisions._found = np.concatenate([legal, allowed])
        return decisions

    @property
    def fills(self) -> Mapping[str, Fill]:
        """What fills each group of columns."""
        return self.view.fills

    @property
    def to_beat(self) -> NDArray[np.int16]:
        """[n] form, or LEADING."""
        return self.view.to_beat

    @property
    def context(self) -> NDArray[np.int16]:
        """[n] what the order of the labels depends on."""
        return self.view.context

    @property
    def _answers(self) -> NDArray[np.uint8]:
        if self._found is None:
            self._found = self._asked.told.ask(len(self.view), self.view.fills)
            self._drop_what_lacks_the_wanted()
        return self._found

    def _drop_what_lacks_the_wanted(self) -> None:
        """Where a card must be among those laid down, labels that cannot hold it are not legal."""
        rows = self._wanting
        if not rows.size:
            return
        if self._asked.fixed is not None:
            self._drop_unlisted(rows)
            return
        told = self._asked.book, self.view.hand, self.view.context, self._way, self._answers, self.rules.reach
        wanted, unsure = self._wanted, np.zeros(len(rows), np.bool_)
        each_share(len(rows), lambda lo, hi: hold(
            *told, rows, wanted, lo, hi, self._walk_room(), *self._room(AT_ONCE), unsure
        ), least=_WALKS)  # fmt: skip
        if unsure.any():
            self._drop_unlisted(rows[unsure])

    def _drop_unlisted(self, rows: NDArray[np.int64]) -> None:
        """The same for rows that want a card, by the lists of all their card sets."""
        wanted = self.includes.take(rows, axis=1)
        self.legal[:, rows] &= reaching(self.rules.reach, wanted)
        lists = self.at(rows)._all_moves(np.full(len(rows), walk.EVERY_LABEL, np.int16))
        keep_labels(self.legal, lists, self.rules.forms.label_of, wanted, rows)

    @cached_property
    def _way(self) -> NDArray[np.int8]:
        """[n] 1 where the seat leads, 0 where it follows."""
        return (self.to_beat < 0).astype(np.int8)

    @cached_property
    def _wanting(self) -> NDArray[np.int64]:
        """The decisions where some card must be among those laid down."""
        includes = self.includes
        rows = [includes[kind] for kind in self._asked.wantable] if len(includes) else []
        return np.flatnonzero(np.logical_or.reduce(rows) if len(rows) != 1 else rows[0].view(np.bool_))

    @cached_property
    def _wanted(self) -> NDArray[np.uint8]:
        """[kinds, those decisions] the cards that must be."""
        wanted, rows = np.zeros((len(self.includes), len(self._wanting)), np.uint8), self._wanting
        for kind in self._asked.wantable:
            wanted[kind] = self.includes[kind, rows]
        return wanted

    def at(self, rows: NDArray[np.int64]) -> Decisions:
        """Some of the decisions; the circuit is not asked again."""
        some = Decisions(self.view.at(rows))
        some._asked = self._asked
        some._found = None if self._found is None else np.ascontiguousarray(self._found[:, rows])
        return some

    def past(self, rows: Indices, hands: NDArray[np.uint8]) -> Iterator[tuple[Indices, Decisions, NDArray[np.int16]]]:
        """What others had to decide in their last acts if they hold hands [m, others, kinds] now, and what they played.

        Rows [m] are of these decisions; the first of each three are places in them. Nothing where nobody remembers.
        """
        if self.view.trail is not None:
            for asked, state, label in self.view.trail.past(self.view, rows, hands):
                yield asked, Decisions(View(self.rules, state, np.arange(len(asked)), state.seat.copy())), label

    def hints(self) -> NDArray[np.float32]:
        """[n, others, kinds] the logarithm of the factor by which what the others did changes the odds of a copy."""
        return hints(self.rules, self.view)

    def who(self, row: int) -> str:
        """The seat to decide, for messages."""
        return f"seat {self.view.seats[row]}" if self.view.at_table else "a seat"

    def state(self, row: int) -> str:
        """What it holds, and what there is to beat, for messages."""
        form = int(self.to_beat[row])
        there = "leads" if form < 0 else f"to beat {self.rules.forms.forms[form].name}"
        return f"{there}, hand {self.rules.letters.spoken(cards_of(self.view.hand[row])) or 'empty'}"

    @property
    def legal(self) -> NDArray[np.uint8]:
        """[labels, n] the mask of legal labels."""
        return self._answers[: len(self.rules.labels)]

    @property
    def allowed(self) -> NDArray[np.uint8]:
        """[forms, n] the forms the seat could lay down."""
        return self._answers[self._asked.answer]

    @property
    def includes(self) -> NDArray[np.uint8]:
        """[kinds or 0, n] cards that must be among those laid down."""
        return self._answers[self._asked.wanted :]

    @property
    def label_to_beat(self) -> NDArray[np.int16]:
        """[n] the label of the play to beat, -1 when leading."""
        return np.where(self.to_beat < 0, np.int16(LEADING), self.rules.forms.label_of[self.to_beat])

    @property
    def ranking(self) -> NDArray[np.int32]:
        """[n, labels] the place of each label when they are sorted from weak to strong."""
        return self.rules.ranking[self.context]

    def taking(self, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves] whether the trick as it lies would be that of the seat to decide; never where there are none."""
        return taking(self, lists)

    def labels_of(self, form: NDArray[np.int16]) -> NDArray[np.int16]:
        """The labels that forms belong to."""
        return self.rules.forms.label_of[form]

    def realise_first(self, labels: NDArray[np.int16]) -> Moves:
        """The first card set in the order of lists of one legal label each.

        Raises TypeError or ValueError for what is no such label, TableError where the hand lacks the cards.
        """
        return self._realise(labels, np.empty(0, np.uint64))

    def realise_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """A card set of one legal label each, drawn uniformly from keys [n]; raises as ``realise_first`` does."""
        return self._realise(labels, keys)

    def realise_drawn(self, draw_labels: DrawLabels, keys: NDArray[np.uint64]) -> Moves:
        """The same for labels that ``draw_labels(lo, hi, labels)`` draws, each share before it is laid down."""
        labels = np.zeros(len(self.view), np.int16)
        return self._realise(labels, keys, draw_labels)

    def try_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> tuple[Moves, NDArray[np.int64]]:
        """The same for any labels, and [n] how many card sets there were; none is no error."""
        return self._laid_down(self._numbered(labels), keys)

    def _realise(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], draw_labels: DrawLabels | None = None
    ) -> Moves:
        if draw_labels is None:
            labels = self._numbered(labels)
        moves, found = self._laid_down(labels, keys, draw_labels)
        if self._wanting.size:
            self._take_wanted(labels, keys, moves, found)
        if (found == 0).any():
            labels, row = self._numbered(labels), int((found == 0).argmax())
            if labels[row] >= 0 and not self.legal[labels[row], row] and self.legal[:, row].any():
                raise ValueError(f"{self.rules.label_texts[labels[row]]} is not legal here ({self.state(row)})")
            check_laid(self.rules.kb, -(found == 0).astype(np.int16), labels, self.rules.label_texts, self)
        return moves

    def _take_wanted(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], moves: Moves, found: NDArray[np.int64]
    ) -> None:
        """Where a card must be among those laid down, choose among the card sets that hold it."""
        rows = self._wanting
        if self._asked.fixed is None:
            told = self._asked.book, self.view.hand, self.view.context, self._way, labels[rows], self.legal
            wanted = self._wanted
            each_share(len(rows), lambda lo, hi: draw(
                *told, self._answers, keys, rows, wanted, lo, hi, self._walk_room(), *self._room(AT_ONCE), *moves, found
            ), least=_WALKS)  # fmt: skip
            rows = rows[found[rows] < 0]
            if not rows.size:
                return
        lists = self.at(rows).moves(labels[rows])
        found[rows] = np.diff(lists.start)
        there = found[rows] > 0
        some = rows[there]
        pick = below_all(keys[some], found[some]) if len(keys) else np.zeros(len(some), np.int64)
        chosen = lists.start[:-1][there] + pick
        moves.form[some], moves.cards[some] = lists.form[chosen], lists.cards[chosen]

    def _laid_down(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], draw_labels: DrawLabels | None = None
    ) -> tuple[Moves, NDArray[np.int64]]:
        """Card sets of labels [n], which may have to be drawn first; and [n] how many there were, 0 for no label."""
        n, view, asked, answers, way = len(self.view), self.view, self._asked, self._answers, self._way
        moves, found = self._room(n), np.zeros(n, np.int64)

        def lay(lo: int, hi: int) -> None:
            if draw_labels is not None:
                draw_labels(lo, hi, labels)
            told = labels, answers, keys, lo, hi, *moves
            if asked.bare is not None:
                bare.realise(asked.bare, view.hand, way, *told, self._bare_room(), found)
            elif asked.fixed is not None:
                fixed.realise(asked.fixed, asked.answer, view.hand, view.context, *told, found)
            else:
                one_set.realise(asked.book, view.hand, view.context, way, *told, self._walk_room(), found)

        each_share(n, lay)
        return moves, found

    def _numbered(self, labels: NDArray[np.int16]) -> NDArray[np.int16]:
        """Labels [n] by their numbers, -1 for who found none; raises TypeError and ValueError.

        Whoever chooses where nothing is legal may name what it likes: the rules are to blame, not the label.
        """
        given, most = np.asarray(labels), len(self.rules.labels)
        if given.dtype.kind not in "iu":
            raise TypeError(f"labels are whole numbers, not {given.dtype}")
        if given.shape == (len(self.view),):
            if -1 <= given.min(initial=0) <= given.max(initial=0) < most:
                return given.astype(np.int16, copy=False)
            wrong = (given < 0) | (given >= most)
            if not self.legal[:, wrong].any():
                return np.where(wrong, -1, given).astype(np.int16)
        raise ValueError(f"labels [{len(self.view)}] are numbers from 0 to {most - 1}")

    def moves(self, labels: NDArray[np.int16] | None = None) -> MoveLists:
        """All legal card sets in the order of lists, or those of one label each."""
        every = np.full(len(self.view), walk.EVERY_LABEL, np.int16)
        lists = self._all_moves(every if labels is None else self._numbered(labels))
        if self._wanting.size:
            lists = keep_sets(lists, self.includes, self._wanting)
        if labels is None and self.view.at_table:
            check_lists(self.rules.kb, lists.start, self)
        return lists

    def _all_moves(self, labels: NDArray[np.int16]) -> MoveLists:
        """The card sets of labels [n], whatever cards must be among them."""
        n = len(self.view)
        held = np.minimum(count_cards(self.view.hand).astype(np.int64), _MOST_GUESSED)
        every = np.where(self.to_beat < 0, held**2 * 5 // 4, _FOLLOWING)
        guess = np.where(labels == walk.EVERY_LABEL, every, held)
        shares = each_share(n, lambda lo, hi: self._list(labels, lo, hi, int(guess[lo:hi].sum())))
        lengths = np.concatenate([np.diff(share.start) for share in shares])
        return MoveLists(
            np.concatenate([[0], lengths.cumsum()]),
            np.concatenate([share.form for share in shares]),
            np.concatenate([share.cards for share in shares]),
        )

    def _list(self, labels: NDArray[np.int16], lo: int, hi: int, room: int) -> MoveLists:
        start = np.zeros(hi + 1, np.int64)
        while True:
            moves = self._room(room)
            found = self._fill(labels, lo, hi, start, moves)
            if found <= room:
                self._require_few(labels, lo, start[lo:])
                return MoveLists(start[lo:], moves.form[:found], moves.cards[:found])
            self._require_few(labels, lo, start[lo:])
            room = found

    def _fill(self, labels: NDArray[np.int16], lo: int, hi: int, start: NDArray[np.int64], moves: Moves) -> int:
        """Write the card sets of labels [n] of decisions lo..hi-1 as far as there is room; returns how many there are.

        Start [hi + 1] is filled from lo + 1 on.
        """
        view, plain = self.view, self._asked.bare
        told = view.hand, view.context, self._way, labels, self.legal, self._answers, lo, hi, start, *moves
        if (table := self._asked.fixed) is not None:
            return int(fixed.list_moves(table, self._asked.answer, *told[:2], *told[3:]))
        if plain is None:
            return int(walk.list_moves(self._asked.book, *told, self._walk_room()))
        return int(bare.list_moves(plain, *told, self._bare_room()))

    def _require_few(self, labels: NDArray[np.int16], lo: int, start: NDArray[np.int64]) -> None:
        """Raise TableError where a decision from lo on has too many card sets, and TooManyAtOnce where all have."""
        many = np.diff(start) > MOST_SETS
        if many.any():
            self._stop_many(labels, lo + int(many.argmax()))
        cards = int(start[-1] - start[0]) * (self.rules.forms.most_cards + 2)
        if cards > _MOST_BYTES and len(many) > 1:
            raise TooManyAtOnce(
                f"{int(start[-1] - start[0]):,} card sets of {len(many):,} decisions are too many to list at once: "
                "list those of fewer decisions"
            )

    def _stop_many(self, labels: NDArray[np.int16], row: int) -> None:
        """Raise TableError for a decision of too many card sets: it names the label of most of the first ones."""
        one, moves = self.at(np.array([row])), self._room(MOST_SETS)
        one._fill(labels[[row]], 0, 1, np.zeros(2, np.int64), moves)
        label = self.rules.label_texts[np.bincount(self.labels_of(moves.form)).argmax()]
        check_few(self.rules.kb, np.ones(1, np.bool_), label, one)

    def _room(self, n: int) -> Moves:
        return Moves(np.empty(n, np.int16), np.empty((n, self.rules.forms.most_cards), np.uint8))

    def _bare_room(self) -> bare.Room:
        book = self.rules.book
        return bare.new_room(len(book.kind), self.rules.forms.most_cards, most_kickers(book))

    def _walk_room(self) -> Room:
        return room_for(self.rules.book, self.rules.forms.most_cards)
