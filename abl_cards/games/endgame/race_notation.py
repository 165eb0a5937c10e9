"""A folder whose game is a race of two open hands, as a search knows it; what is no such race is refused with a reason.

Nothing is taken on trust: what beats what is asked of the circuit of legality once for every form, and that hands,
turns and points are no more than a race has is asked of the circuits about random states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature
from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import Form, cards_from_counts
from abl_cards.games.endgame.open_hand_race import RaceCombinations, RacePosition
from abl_cards.games.notation import ParsedPlay, check_copies, error_context, read_cards, resolve_form
from abl_cards.games.sampling import sample_state
from abl_cards.games.state import TurnTable, next_turn
from abl_cards.games.tables import DealtEpisodes, Decisions, EventRules, Listener, PlayerView, Tables, sample_fluents
from abl_cards.games.types import LEADING, NO_CARD

N_SAMPLES, SEED = 2000, 1
"""Random states in which a folder must be a race."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class FolderRace:
    """The positions of a folder, and what can be laid down there."""

    rules: CompiledGame
    combinations: RaceCombinations
    forms: NDArray[np.int16]  # [labels of the combinations] the form of each

    def read_position(self, own: str, other: str, to_beat: str | None = None) -> RacePosition:
        """A position in texts of cards; raises GameError."""
        with error_context("the first hand"):
            mine = _read_nonempty(self.rules, own)
        with error_context("the second hand"):
            theirs = _read_nonempty(self.rules, other)
        laid, label = np.zeros_like(mine), LEADING
        if to_beat is not None:
            with error_context("to beat"):
                laid = _read_nonempty(self.rules, to_beat)
                form = resolve_form(self.rules, ParsedPlay(cards_from_counts(laid)), 0)
                label = int(np.flatnonzero(self.forms == form)[0])
        check_copies(self.rules, mine + theirs + laid)
        return RacePosition(tuple(mine.tolist()), tuple(theirs.tolist()), label)

    def positions(self, decisions: Decisions) -> list[RacePosition]:
        """The positions of decisions."""
        view = decisions.view
        label_of = np.full(len(self.rules.forms), LEADING, np.int64)
        label_of[self.forms] = np.arange(len(self.forms))
        to_beat = np.where(view.to_beat < 0, LEADING, label_of[view.to_beat])
        rows = zip(view.hand.tolist(), view.hidden_hands[:, 0].tolist(), to_beat.tolist(), strict=True)
        return [RacePosition(tuple(own), tuple(other), label) for own, other, label in rows]

    def start_matches(self, hands: NDArray[np.uint8], listener: Listener | None = None) -> Tables:
        """A table for each of hands [n, 2, kinds], which may be of few cards; the rest of the pack lies aside."""
        n, rules = len(hands), self.rules
        aside = (rules.pack.copies - hands.sum(axis=1)).astype(np.uint8)
        fluents = np.repeat(rules.fluents.defaults[None], n, axis=0)
        lots, total = np.zeros((n, len(rules.schema.lots)), np.int16), np.zeros((n, 2), np.int64)
        return Tables.resume(rules, DealtEpisodes(hands, aside, fluents, lots, total, np.zeros(n, np.int32)), listener)

    def cards_text(self, cards: NDArray[np.integer]) -> str:
        """The copies of each kind [kinds] as text; a pass is empty."""
        return self.rules.card_codes.to_text(cards_from_counts(cards))

    def encode_play(self, label: int, cards: NDArray[np.integer]) -> tuple[int, NDArray[np.uint8]]:
        """The form and the row of cards, as in Moves, of cards that are laid down; LEADING stands for a pass."""
        row = np.full(self.rules.forms.max_cards, NO_CARD, np.uint8)
        laid = cards_from_counts(cards)
        row[: len(laid)] = laid
        return (self.rules.forms.pass_form if label == LEADING else int(self.forms[label])), row


def _read_nonempty(rules: CompiledGame, text: str) -> Counts:
    cards = read_cards(rules, text)
    if not cards.any():
        raise GameError("there are no cards")
    return cards


@cache_per_game
def build_race(rules: CompiledGame) -> FolderRace:
    """The race that a folder is; raises GameError for what is none."""
    for reason in _static_objections(rules):
        raise GameError(f"{rules.folder.name} is no race of two open hands: {reason}")
    forms = _playing_forms(rules)
    found = FolderRace(rules, _combinations(rules, forms), forms)
    for reason in _sampled_objections(found):
        raise GameError(f"{rules.folder.name} is no race of two open hands: {reason}")
    return found


# --- what its facts say -----------------------------------------------------------------------------------------------


def _static_objections(rules: CompiledGame) -> Iterator[str]:
    """What tells the facts of a folder from those of a race."""
    table, derived = rules.seating, rules.derived_outputs
    if table.seats != 2:
        yield f"it has {table.seats} seats"
    counted = sum(table.num_dealt) == len(rules.pack.deck) and Signature.parse("lays_aside/2") not in derived
    if not rules.has_open_hands and not counted:
        yield "some cards are hidden (see open_hands/0)"
    if len(rules.contexts) > 1:
        yield "the order of the plays changes"
    if Signature.parse("includes/1") in derived:
        yield "a play must contain a certain card (includes/1)"
    if set(EventRules.from_rules(rules).updates) & {"play", "pass", "trick"}:
        yield "plays change more than hands (next/1 at event(play), event(pass) or event(trick))"
    for form in rules.forms.forms:
        yield from _form_objections(rules, form)


def _form_objections(rules: CompiledGame, form: Form) -> Iterator[str]:
    """What kinds of cards, groups and kickers a form has that a race has not."""
    cells = {group.cell for group in form.groups} | set(form.kickers.allowed if form.kickers else ())
    single = all(rules.cells.names[cell] in rules.pack.index for cell in cells)
    if (
        not single
        or form.suit is not None
        or form.has_mixed_suits
        or form.max_wilds
        or any(each.only_kind is not None for each in form.groups)
    ):
        yield f"suits or wild cards matter in {form.name}"
    if form.kickers and (
        set(form.kickers.allowed.values()) != {1 << 1} or form.kickers.misread or form.has_kickers_apart
    ):
        yield f"the kickers of {form.name} are not any of different ranks"


def _playing_forms(rules: CompiledGame) -> NDArray[np.int16]:
    return np.array([form for form in range(len(rules.forms)) if form != rules.forms.pass_form], np.int16)


def _combinations(rules: CompiledGame, forms: NDArray[np.int16]) -> RaceCombinations:
    shape = len(forms), len(rules.pack)
    needs, spare = np.zeros(shape, np.uint8), np.zeros(shape, np.bool_)
    kickers, size = np.zeros(len(forms), np.uint8), np.zeros(len(forms), np.uint8)
    kind = [rules.pack.index.get(name, -1) for name in rules.cells.names]
    for row, form in enumerate(rules.forms.forms[each] for each in forms.tolist()):
        for group in form.groups:
            needs[row, kind[group.cell]] += group.count
        if form.kickers:
            kickers[row], size[row] = form.kickers.num_groups, form.kickers.group_size
            spare[row, [kind[cell] for cell in form.kickers.allowed]] = True
    names = tuple(str(rules.forms.forms[form].name) for form in forms.tolist())
    return RaceCombinations(names, needs, kickers, size, spare, _beats_matrix(rules, forms))


def _beats_matrix(rules: CompiledGame, forms: NDArray[np.int16]) -> NDArray[np.bool_]:
    """[labels, labels] what may be laid on each: a hand of the whole pack is asked."""
    state = rules.create_state(len(forms))
    state.hands[:, 0], state.to_beat[:], state.owner[:] = rules.pack.copies, forms, 1
    allowed = Decisions(
        PlayerView(rules, state, np.arange(len(forms)), state.seat.copy(), has_hand_sizes=False)
    ).form_mask
    return allowed[forms].T == 1


# --- what its circuits say --------------------------------------------------------------------------------------------


def _sampled_objections(race: FolderRace) -> Iterator[str]:
    """Where play is not what a race is."""
    rules, random = race.rules, np.random.default_rng(SEED)
    state = sample_state(rules, N_SAMPLES, random)
    decisions = Decisions(PlayerView(rules, state, np.arange(N_SAMPLES), state.seat.copy(), has_hand_sizes=False))
    expected = _has_cards_for(race, decisions.view.hand) & _is_allowed_on(race, decisions.view.to_beat)
    wrong = expected != decisions.form_mask[race.forms].T
    if wrong.any():
        row, label = np.argwhere(wrong)[0]
        hand, name = race.cards_text(decisions.view.hand[row]), race.combinations.labels[label]
        yield f"whether {name} may be played hangs on more than its cards and those to beat (hand {hand})"
    if (decisions.form_mask[rules.forms.pass_form] != (decisions.view.to_beat >= 0)).any():
        yield "one may pass whenever there is a play to beat, and only then"
    if rules.turn_query is not None:
        yield "whose turn it is depends on cards and plays, not on what is remembered (turn/1)"
        return
    yield from _turn_objections(rules.turn_table, rules.forms.pass_form, len(rules.forms))
    for winner in (0, 1):
        yield from _point_objections(rules, winner, random)


def _has_cards_for(race: FolderRace, hands: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[n, labels] what hands [n, kinds] have the cards for."""
    game = race.combinations
    found = np.ones((len(hands), len(game.labels)), np.bool_)
    for rank in range(hands.shape[1]):
        found &= hands[:, rank, None] >= game.main_cards[:, rank]
    for label in np.flatnonzero(game.kickers):
        left = hands.astype(np.int64) - game.main_cards[label]
        there = ((left >= game.kicker_size[label]) & game.kicker_ranks[label]).sum(axis=1)
        found[:, label] &= there >= game.kickers[label]
    return found


def _is_allowed_on(race: FolderRace, to_beat: NDArray[np.int16]) -> NDArray[np.bool_]:
    """[n, labels] what may be laid on forms [n]."""
    label_of = np.zeros(len(race.rules.forms), np.int64)
    label_of[race.forms] = np.arange(len(race.forms))
    return np.where((to_beat < 0)[:, None], True, race.combinations.beats[label_of[to_beat]])


def _turn_objections(turns: TurnTable, passing: int, forms: int) -> Iterator[str]:
    """Plays and passes after which it goes on otherwise than seat by seat, with the lead lost by a pass."""
    for seat in (0, 1):
        for form in range(forms):
            other, mine = 1 - seat, 1 << seat
            owner, passed = (other, mine) if form == passing else (seat, 0)
            for out in (0,) if form == passing else (0, mine):
                turn = next_turn(turns, seat, owner, passed, passed, out, form)
                if turn.is_episode_over != bool(out):
                    yield "it is over when a hand is empty, and only then (over/0)"
                elif not out and (turn.seat, turn.is_trick_over) != (other, form == passing):
                    yield "the seats take turns, and a pass hands the lead over (turn/1, trick_over/0)"


def _point_objections(rules: CompiledGame, winner: int, random: np.random.Generator) -> Iterator[str]:
    """Cards left that are not worth a point each."""
    most = max(rules.seating.num_dealt)
    state = rules.create_state(most)
    for left in range(1, most + 1):
        hand = random.permutation(rules.pack.deck)[:left]
        state.hands[left - 1, 1 - winner] = np.bincount(hand, minlength=len(rules.pack))
    state.finish_order[:], state.seats_out[:] = (winner, 1 - winner), 3
    state.owner[:] = state.last_actor[:] = winner
    state.fluents[:] = sample_fluents(rules, most, random)
    points, worth = EventRules.from_rules(rules).score_episodes(state, np.arange(most))[0], np.arange(1, most + 1)
    if (points[:, winner] != worth).any() or (points[:, 1 - winner] != -worth).any():
        yield "who goes out wins as many points as the other has cards left, and the other loses them (points/3)"


__all__ = ["FolderRace", "build_race"]
