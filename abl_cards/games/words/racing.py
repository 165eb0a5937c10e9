"""A folder whose game is a race of two open hands, as a search knows it; what is no such race is refused with a reason.

Nothing is taken on trust: what beats what is asked of the circuit of legality once for every form, and that hands,
turns and points are no more than a race has is asked of the circuits about random states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.state import Turns, next_turn
from abl_cards.games.play.tables import Dealt, Tables
from abl_cards.games.play.view import View
from abl_cards.games.race import Combinations, Race
from abl_cards.games.reading.forms import Form
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, NO_CARD, Listener
from abl_cards.games.telling.random_fluents import random_fluents
from abl_cards.games.telling.random_states import random_state
from abl_cards.games.words.fields import reading
from abl_cards.games.words.hands import check_copies, read_cards
from abl_cards.games.words.letters import cards_of
from abl_cards.games.words.once import once
from abl_cards.games.words.plays import Wanted, form_of
from abl_cards.logic import Signature

SAMPLE, SEED = 2000, 1
"""Random states in which a folder must be a race."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class FolderRace:
    """The positions of a folder, and what can be laid down there."""

    rules: Rules
    combinations: Combinations
    forms: NDArray[np.int16]  # [labels of the combinations] the form of each

    def race(self, own: str, other: str, to_beat: str | None = None) -> Race:
        """A position in texts of cards; raises GameError."""
        with reading("the first hand"):
            mine = _some(self.rules, own)
        with reading("the second hand"):
            theirs = _some(self.rules, other)
        laid, label = np.zeros_like(mine), LEADING
        if to_beat is not None:
            with reading("to beat"):
                laid = _some(self.rules, to_beat)
                form = form_of(self.rules, Wanted(cards_of(laid)), 0)
                label = int(np.flatnonzero(self.forms == form)[0])
        check_copies(self.rules, mine + theirs + laid)
        return Race(tuple(mine.tolist()), tuple(theirs.tolist()), label)

    def races(self, decisions: Decisions) -> list[Race]:
        """The positions of decisions."""
        view = decisions.view
        label_of = np.full(len(self.rules.forms), LEADING, np.int64)
        label_of[self.forms] = np.arange(len(self.forms))
        to_beat = np.where(view.to_beat < 0, LEADING, label_of[view.to_beat])
        rows = zip(view.hand.tolist(), view.hidden_hands[:, 0].tolist(), to_beat.tolist(), strict=True)
        return [Race(tuple(own), tuple(other), label) for own, other, label in rows]

    def tables(self, hands: NDArray[np.uint8], listener: Listener | None = None) -> Tables:
        """A table for each of hands [n, 2, kinds], which may be of few cards; the rest of the pack lies aside."""
        n, rules = len(hands), self.rules
        aside = (rules.pack.copies - hands.sum(axis=1)).astype(np.uint8)
        fluents = np.repeat(rules.fluents.nothing[None], n, axis=0)
        lots, total = np.zeros((n, len(rules.words.lots)), np.int16), np.zeros((n, 2), np.int64)
        return Tables.resume(rules, Dealt(hands, aside, fluents, lots, total, np.zeros(n, np.int32)), listener)

    def cards_text(self, cards: NDArray[np.integer]) -> str:
        """The copies of each kind [kinds] as text; a pass is empty."""
        return self.rules.letters.spoken(cards_of(cards))

    def play_cards(self, label: int, cards: NDArray[np.integer]) -> tuple[int, NDArray[np.uint8]]:
        """The form and the row of cards, as in Moves, of cards that are laid down; LEADING stands for a pass."""
        row = np.full(self.rules.forms.most_cards, NO_CARD, np.uint8)
        laid = cards_of(cards)
        row[: len(laid)] = laid
        return (self.rules.forms.passing if label == LEADING else int(self.forms[label])), row


def _some(rules: Rules, text: str) -> Counts:
    cards = read_cards(rules, text)
    if not cards.any():
        raise GameError("there are no cards")
    return cards


@once
def race_of(rules: Rules) -> FolderRace:
    """The race that a folder is; raises GameError for what is none."""
    for reason in _reasons(rules):
        raise GameError(f"{rules.folder.name} is no race of two open hands: {reason}")
    forms = _combining(rules)
    found = FolderRace(rules, _combinations(rules, forms), forms)
    for reason in _differences(found):
        raise GameError(f"{rules.folder.name} is no race of two open hands: {reason}")
    return found


# --- what its facts say -----------------------------------------------------------------------------------------------


def _reasons(rules: Rules) -> Iterator[str]:
    """What tells the facts of a folder from those of a race."""
    table, derived = rules.table, rules.derived
    if table.seats != 2:
        yield f"it has {table.seats} seats"
    counted = sum(table.dealt) == len(rules.pack.deck) and Signature.parse("lays_aside/2") not in derived
    if not rules.open_hands and not counted:
        yield "some cards are hidden (see open_hands/0)"
    if len(rules.contexts) > 1:
        yield "the order of the plays changes"
    if Signature.parse("includes/1") in derived:
        yield "a play must contain a certain card (includes/1)"
    if set(Flow.of(rules).changes) & {"play", "pass", "trick"}:
        yield "plays change more than hands (next/1 at event(play), event(pass) or event(trick))"
    for form in rules.forms.forms:
        yield from _strange(rules, form)


def _strange(rules: Rules, form: Form) -> Iterator[str]:
    """What kinds of cards, groups and kickers a form has that a race has not."""
    cells = {group.cell for group in form.groups} | set(form.kickers.allowed if form.kickers else ())
    single = all(rules.cells.names[cell] in rules.pack.number for cell in cells)
    if (
        not single
        or form.suit is not None
        or form.mixed
        or form.wilds
        or any(each.only is not None for each in form.groups)
    ):
        yield f"suits or wild cards matter in {form.name}"
    if form.kickers and (set(form.kickers.allowed.values()) != {1 << 1} or form.kickers.misread or form.apart):
        yield f"the kickers of {form.name} are not any of different ranks"


def _combining(rules: Rules) -> NDArray[np.int16]:
    return np.array([form for form in range(len(rules.forms)) if form != rules.forms.passing], np.int16)


def _combinations(rules: Rules, forms: NDArray[np.int16]) -> Combinations:
    shape = len(forms), len(rules.pack)
    needs, spare = np.zeros(shape, np.uint8), np.zeros(shape, np.bool_)
    kickers, size = np.zeros(len(forms), np.uint8), np.zeros(len(forms), np.uint8)
    kind = [rules.pack.number.get(name, -1) for name in rules.cells.names]
    for row, form in enumerate(rules.forms.forms[each] for each in forms.tolist()):
        for group in form.groups:
            needs[row, kind[group.cell]] += group.count
        if form.kickers:
            kickers[row], size[row] = form.kickers.groups, form.kickers.size
            spare[row, [kind[cell] for cell in form.kickers.allowed]] = True
    names = tuple(str(rules.forms.forms[form].name) for form in forms.tolist())
    return Combinations(names, needs, kickers, size, spare, _beats(rules, forms))


def _beats(rules: Rules, forms: NDArray[np.int16]) -> NDArray[np.bool_]:
    """[labels, labels] what may be laid on each: a hand of the whole pack is asked."""
    state = rules.tables(len(forms))
    state.hands[:, 0], state.to_beat[:], state.owner[:] = rules.pack.copies, forms, 1
    allowed = Decisions(View(rules, state, np.arange(len(forms)), state.seat.copy(), at_table=False)).allowed
    return allowed[forms].T == 1


# --- what its circuits say --------------------------------------------------------------------------------------------


def _differences(race: FolderRace) -> Iterator[str]:
    """Where play is not what a race is."""
    rules, random = race.rules, np.random.default_rng(SEED)
    state = random_state(rules, SAMPLE, random)
    decisions = Decisions(View(rules, state, np.arange(SAMPLE), state.seat.copy(), at_table=False))
    expected = _playable(race, decisions.view.hand) & _over(race, decisions.view.to_beat)
    wrong = expected != decisions.allowed[race.forms].T
    if wrong.any():
        row, label = np.argwhere(wrong)[0]
        hand, name = race.cards_text(decisions.view.hand[row]), race.combinations.labels[label]
        yield f"whether {name} may be played hangs on more than its cards and those to beat (hand {hand})"
    if (decisions.allowed[rules.forms.passing] != (decisions.view.to_beat >= 0)).any():
        yield "one may pass whenever there is a play to beat, and only then"
    if rules.course is not None:
        yield "whose turn it is depends on cards and plays, not on what is remembered (turn/1)"
        return
    yield from _turn_differences(rules.turns, rules.forms.passing, len(rules.forms))
    for winner in (0, 1):
        yield from _point_differences(rules, winner, random)


def _playable(race: FolderRace, hands: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[n, labels] what hands [n, kinds] have the cards for."""
    game = race.combinations
    found = np.ones((len(hands), len(game.labels)), np.bool_)
    for rank in range(hands.shape[1]):
        found &= hands[:, rank, None] >= game.needs[:, rank]
    for label in np.flatnonzero(game.kickers):
        left = hands.astype(np.int64) - game.needs[label]
        there = ((left >= game.kicker_size[label]) & game.spare[label]).sum(axis=1)
        found[:, label] &= there >= game.kickers[label]
    return found


def _over(race: FolderRace, to_beat: NDArray[np.int16]) -> NDArray[np.bool_]:
    """[n, labels] what may be laid on forms [n]."""
    label_of = np.zeros(len(race.rules.forms), np.int64)
    label_of[race.forms] = np.arange(len(race.forms))
    return np.where((to_beat < 0)[:, None], True, race.combinations.beats[label_of[to_beat]])


def _turn_differences(turns: Turns, passing: int, forms: int) -> Iterator[str]:
    """Plays and passes after which it goes on otherwise than seat by seat, with the lead lost by a pass."""
    for seat in (0, 1):
        for form in range(forms):
            other, mine = 1 - seat, 1 << seat
            owner, passed = (other, mine) if form == passing else (seat, 0)
            for out in (0,) if form == passing else (0, mine):
                turn = next_turn(turns, seat, owner, passed, passed, out, form)
                if turn.over != bool(out):
                    yield "it is over when a hand is empty, and only then (over/0)"
                elif not out and (turn.seat, turn.trick_over) != (other, form == passing):
                    yield "the seats take turns, and a pass hands the lead over (turn/1, trick_over/0)"


def _point_differences(rules: Rules, winner: int, random: np.random.Generator) -> Iterator[str]:
    """Cards left that are not worth a point each."""
    most = max(rules.table.dealt)
    state = rules.tables(most)
    for left in range(1, most + 1):
        hand = random.permutation(rules.pack.deck)[:left]
        state.hands[left - 1, 1 - winner] = np.bincount(hand, minlength=len(rules.pack))
    state.order[:], state.out[:] = (winner, 1 - winner), 3
    state.owner[:] = state.acted[:] = winner
    state.fluents[:] = random_fluents(rules, most, random)
    points, worth = Flow.of(rules).end(state, np.arange(most))[0], np.arange(1, most + 1)
    if (points[:, winner] != worth).any() or (points[:, 1 - winner] != -worth).any():
        yield "who goes out wins as many points as the other has cards left, and the other loses them (points/3)"


__all__ = ["FolderRace", "race_of"]
