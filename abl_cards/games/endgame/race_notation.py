"""Open-hand races from rule folders, with their notation; games that are no race are refused with a reason.

The circuit of legality yields the relation of plays that beat each other. That moves, turns and points are those of a
race is tested on random states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import Form, cards_from_counts
from abl_cards.games.endgame.open_hand_race import RaceCombinations, RacePosition
from abl_cards.games.notation import ParsedPlay, check_copies, error_context, read_cards, resolve_form
from abl_cards.games.sampling import sample_state
from abl_cards.games.state import TurnTable, next_turn
from abl_cards.games.tables import DealtEpisodes, Decisions, EventRules, Listener, PlayerView, Tables, sample_fluents
from abl_cards.games.types import LEADING, NO_CARD

N_SAMPLES, SEED = 2000, 1
"""Random states in which a game must behave as a race."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class FolderRace:
    """Open-hand race of a rule folder."""

    rules: CompiledGame
    combinations: RaceCombinations
    forms: NDArray[np.int16]  # [labels of the combinations] form of each label

    def read_position(self, own: str, other: str, to_beat: str | None = None) -> RacePosition:
        """Parse a position.

        Args:
            own: Cards of the seat to move, in the notation of the game.
            other: Cards of the other seat.
            to_beat: Cards of the play to beat, None if the seat leads.

        Returns:
            The position.

        Raises:
            GameError: If a text names unknown cards, too many copies, or no play.
        """
        with error_context("the first hand"):
            own_cards = _read_nonempty(self.rules, own)
        with error_context("the second hand"):
            other_cards = _read_nonempty(self.rules, other)
        cards_to_beat, label = np.zeros_like(own_cards), LEADING
        if to_beat is not None:
            with error_context("to beat"):
                cards_to_beat = _read_nonempty(self.rules, to_beat)
                form = resolve_form(self.rules, ParsedPlay(cards_from_counts(cards_to_beat)), 0)
                label = int(np.flatnonzero(self.forms == form)[0])
        check_copies(self.rules, own_cards + other_cards + cards_to_beat)
        return RacePosition(tuple(own_cards.tolist()), tuple(other_cards.tolist()), label)

    def positions(self, decisions: Decisions) -> list[RacePosition]:
        """Return the position of each decision."""
        view = decisions.view
        label_of = np.full(len(self.rules.forms), LEADING, np.int64)
        label_of[self.forms] = np.arange(len(self.forms))
        to_beat = np.where(view.to_beat < 0, LEADING, label_of[view.to_beat])
        rows = zip(view.hand.tolist(), view.hidden_hands[:, 0].tolist(), to_beat.tolist(), strict=True)
        return [RacePosition(tuple(own), tuple(other), label) for own, other, label in rows]

    def start_matches(self, hands: NDArray[np.uint8], listener: Listener | None = None) -> Tables:
        """Start a match for each pair of hands; the other cards of the pack are in the kitty.

        Args:
            hands: uint8 [n, 2, kinds], hands of any size.
            listener: Notified of events, None for none.

        Returns:
            n tables.
        """
        n, rules = len(hands), self.rules
        aside = (rules.pack.copies - hands.sum(axis=1)).astype(np.uint8)
        fluents = np.repeat(rules.fluents.defaults[None], n, axis=0)
        lots, total = np.zeros((n, len(rules.schema.lots)), np.int16), np.zeros((n, 2), np.int64)
        return Tables.resume(rules, DealtEpisodes(hands, aside, fluents, lots, total, np.zeros(n, np.int32)), listener)

    def cards_text(self, cards: NDArray[np.integer]) -> str:
        """Format copies of each kind [kinds] as text; no cards are an empty text."""
        return self.rules.card_codes.to_text(cards_from_counts(cards))

    def encode_play(self, label: int, cards: NDArray[np.integer]) -> tuple[int, NDArray[np.uint8]]:
        """Encode a play.

        Args:
            label: Index of the combinations, ``LEADING`` for a pass.
            cards: int [kinds], copies of each kind.

        Returns:
            Form, and row of cards as in ``Moves``.
        """
        row = np.full(self.rules.forms.max_cards, NO_CARD, np.uint8)
        card_list = cards_from_counts(cards)
        row[: len(card_list)] = card_list
        return (self.rules.forms.pass_form if label == LEADING else int(self.forms[label])), row


def _read_nonempty(rules: CompiledGame, text: str) -> Counts:
    """Parse a text of at least one card; raise GameError."""
    cards = read_cards(rules, text)
    if not cards.any():
        raise GameError("there are no cards", ErrorCode.INCOMPLETE_STATE)
    return cards


@cache_per_game
def build_race(rules: CompiledGame) -> FolderRace:
    """Build the open-hand race of a game, once.

    Args:
        rules: Compiled rules.

    Returns:
        The race.

    Raises:
        GameError: If the game is not a race of two open hands, with the reason.
    """
    for reason in _static_objections(rules):
        raise _no_race_error(rules, reason)
    forms = _playing_forms(rules)
    race = FolderRace(rules, _combinations(rules, forms), forms)
    for reason in _sampled_objections(race):
        raise _no_race_error(rules, reason)
    return race


def _no_race_error(rules: CompiledGame, reason: str) -> GameError:
    """Make the error for a game that is not a race."""
    return GameError(f"{rules.folder.name} is no race of two open hands: {reason}", ErrorCode.UNSUPPORTED_GAME)


# --- objections by facts ----------------------------------------------------------------------------------------------


def _static_objections(rules: CompiledGame) -> Iterator[str]:
    """Yield the differences between the facts of a game and those of a race."""
    table, derived = rules.seating, rules.derived_outputs
    if table.seats != 2:
        yield f"it has {table.seats} seats"
    is_all_dealt = sum(table.num_dealt) == len(rules.pack.deck) and Signature.parse("lays_aside/2") not in derived
    if not rules.has_open_hands and not is_all_dealt:
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
    """Yield the properties of a form that a race does not have."""
    cells = {group.cell for group in form.groups} | set(form.kickers.allowed if form.kickers else ())
    are_cards = all(rules.cells.names[cell] in rules.pack.index for cell in cells)
    if (
        not are_cards
        or form.suit is not None
        or form.has_mixed_suits
        or form.max_wilds
        or any(group.only_kind is not None for group in form.groups)
    ):
        yield f"suits or wild cards matter in {form.name}"
    if form.has_own_kickers or form.excluded_forms:
        yield f"the cards of {form.name} are not groups and kickers of different ranks (kicker/3, excludes/2)"
    if form.kickers and (
        set(form.kickers.allowed.values()) != {1 << 1} or form.kickers.misread or form.has_kickers_apart
    ):
        yield f"the kickers of {form.name} are not any of different ranks"


def _playing_forms(rules: CompiledGame) -> NDArray[np.int16]:
    """Return all forms but the pass."""
    return np.array([form for form in range(len(rules.forms)) if form != rules.forms.pass_form], np.int16)


def _combinations(rules: CompiledGame, forms: NDArray[np.int16]) -> RaceCombinations:
    """Convert forms to combinations of a race."""
    shape = len(forms), len(rules.pack)
    main_cards, kicker_ranks = np.zeros(shape, np.uint8), np.zeros(shape, np.bool_)
    kickers, size = np.zeros(len(forms), np.uint8), np.zeros(len(forms), np.uint8)
    kind_of = [rules.pack.index.get(name, -1) for name in rules.cells.names]
    for row, form in enumerate(rules.forms.forms[form_index] for form_index in forms.tolist()):
        for group in form.groups:
            main_cards[row, kind_of[group.cell]] += group.count
        if form.kickers:
            kickers[row], size[row] = form.kickers.num_groups, form.kickers.group_size
            kicker_ranks[row, [kind_of[cell] for cell in form.kickers.allowed]] = True
    names = tuple(str(rules.forms.forms[form].name) for form in forms.tolist())
    return RaceCombinations(names, main_cards, kickers, size, kicker_ranks, _beats_matrix(rules, forms))


def _beats_matrix(rules: CompiledGame, forms: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return which plays a hand with the whole pack may play on each play [labels to beat, labels]."""
    state = rules.create_state(len(forms))
    state.hands[:, 0], state.to_beat[:], state.owner[:] = rules.pack.copies, forms, 1
    allowed = Decisions(
        PlayerView(rules, state, np.arange(len(forms)), state.seat.copy(), has_hand_sizes=False)
    ).form_mask
    return allowed[forms].T == 1


# --- objections by circuits -------------------------------------------------------------------------------------------


def _sampled_objections(race: FolderRace) -> Iterator[str]:
    """Yield the differences between a game and a race in random states."""
    rules, random = race.rules, np.random.default_rng(SEED)
    state = sample_state(rules, N_SAMPLES, random)
    decisions = Decisions(PlayerView(rules, state, np.arange(N_SAMPLES), state.seat.copy(), has_hand_sizes=False))
    expected = _has_cards_for(race, decisions.view.hand) & _is_allowed_on(race, decisions.view.to_beat)
    differs = expected != decisions.form_mask[race.forms].T
    if differs.any():
        row, label = np.argwhere(differs)[0]
        hand, name = race.cards_text(decisions.view.hand[row]), race.combinations.labels[label]
        yield f"whether {name} may be played depends on more than its cards and those to beat (hand {hand})"
    if (decisions.form_mask[rules.forms.pass_form] != (decisions.view.to_beat >= 0)).any():
        yield "a pass must be legal if and only if there is a play to beat"
    if rules.turn_query is not None:
        yield "the next seat must not depend on fluents (turn/1)"
        return
    yield from _turn_objections(rules.turn_table, rules.forms.pass_form, len(rules.forms))
    for winner in (0, 1):
        yield from _point_objections(rules, winner, random)


def _has_cards_for(race: FolderRace, hands: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the plays for which hands [n, kinds] have the cards [n, labels]."""
    game = race.combinations
    has_cards = np.ones((len(hands), len(game.labels)), np.bool_)
    for rank in range(hands.shape[1]):
        has_cards &= hands[:, rank, None] >= game.main_cards[:, rank]
    for label in np.flatnonzero(game.kickers):
        left = hands.astype(np.int64) - game.main_cards[label]
        num_ranks = ((left >= game.kicker_size[label]) & game.kicker_ranks[label]).sum(axis=1)
        has_cards[:, label] &= num_ranks >= game.kickers[label]
    return has_cards


def _is_allowed_on(race: FolderRace, to_beat: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return the plays that may be played on forms [n], or led [n, labels]."""
    label_of = np.zeros(len(race.rules.forms), np.int64)
    label_of[race.forms] = np.arange(len(race.forms))
    return np.where((to_beat < 0)[:, None], True, race.combinations.beats[label_of[to_beat]])


def _turn_objections(turns: TurnTable, passing: int, forms: int) -> Iterator[str]:
    """Yield a reason if seats do not take turns, or a pass does not give the lead to the other seat."""
    for seat in (0, 1):
        for form in range(forms):
            other, own_bit = 1 - seat, 1 << seat
            owner, passed = (other, own_bit) if form == passing else (seat, 0)
            for out in (0,) if form == passing else (0, own_bit):
                turn = next_turn(turns, seat, owner, passed, passed, out, form)
                if turn.is_episode_over != bool(out):
                    yield "an episode must be over if and only if a hand is empty (over/0)"
                elif not out and (turn.seat, turn.is_trick_over) != (other, form == passing):
                    yield "seats must take turns, and the other seat must lead after a pass (turn/1, trick_over/0)"


def _point_objections(rules: CompiledGame, winner: int, random: np.random.Generator) -> Iterator[str]:
    """Yield a reason if a card left is not worth one point."""
    max_cards = max(rules.seating.num_dealt)
    state = rules.create_state(max_cards)
    for left in range(1, max_cards + 1):
        hand = random.permutation(rules.pack.deck)[:left]
        state.hands[left - 1, 1 - winner] = np.bincount(hand, minlength=len(rules.pack))
    state.finish_order[:], state.seats_out[:] = (winner, 1 - winner), 3
    state.owner[:] = state.last_actor[:] = winner
    state.fluents[:] = sample_fluents(rules, max_cards, random)
    points, expected = (
        EventRules.from_rules(rules).score_episodes(state, np.arange(max_cards))[0],
        np.arange(1, max_cards + 1),
    )
    if (points[:, winner] != expected).any() or (points[:, 1 - winner] != -expected).any():
        yield "the first empty hand must win a point from the other seat for each of its cards left (points/3)"


__all__ = ["FolderRace", "build_race"]
