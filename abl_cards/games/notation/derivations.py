"""Proofs of why a play or an option is legal or not, down to the inputs of the seat."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abl_cards.asp import Atom
from abl_cards.circuit import Proof, ProofFinder, true_atoms
from abl_cards.core import ErrorCode, GameError, parse_json_line
from abl_cards.games.binding import CircuitQuery
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import cards_from_counts, counts_from_cards
from abl_cards.games.notation.canonical import canonical_notation
from abl_cards.games.notation.card_forms import find_forms
from abl_cards.games.notation.play_reader import join_words, matches_form, read_option, read_play, split_label
from abl_cards.games.notation.plays import ParsedPlay, options_json
from abl_cards.games.tables import Choices, DecisionPoint, Decisions
from abl_cards.games.types import NO_CARD

LEGAL, OPTION = "legal", "option"
_TYPE_AND_RANK = ("type", "rank")  # the words before the cards of a play in canonical notation
MAX_READINGS = 4
"""Largest number of readings explained for a set of cards."""


@dataclass(frozen=True)
class PlayDerivation:
    """A reading of cards as a play, or an option of a choice, with the proof of its legality or illegality."""

    label: str  # of an option its text
    move_row: int | None  # row among the moves of the decision point; None if not legal
    proof: Proof

    def to_json(self) -> dict[str, Any]:
        """Return the derivation as JSON."""
        return {"label": self.label, "legal": self.move_row is not None, "why": self.proof.to_json()}


def parse_play(rules: CompiledGame, text: str) -> ParsedPlay:
    """Read a play.

    Args:
        rules: Compiled game.
        text: The play as JSON, a word, or cards separated by blanks, after the name of a label or without it.

    Returns:
        The play.

    Raises:
        GameError: The text is not a play.
    """
    words, parsed, errors = text.split(), _parse_json(text), []
    values: list[Any] = [text, words]
    if parsed is not text and not isinstance(parsed, int):
        values.insert(0, parsed)
    if canonical_notation(rules) is not None and len(words) > len(_TYPE_AND_RANK):
        values.append([*words[: len(_TYPE_AND_RANK)], words[len(_TYPE_AND_RANK) :]])
    if (named := split_label(rules, text)) is not None:
        values.insert(0, {"label": rules.label_texts[named[0]], "cards": join_words(rules, named[1])})
    for value in values:
        try:
            return read_play(rules, value)
        except GameError as error:
            errors.append(error)
    raise errors[0]


def derive_readings(rules: CompiledGame, decision_point: DecisionPoint, text: str) -> list[PlayDerivation]:
    """Explain each reading of cards as a play, legal ones first; of a choice the option.

    Args:
        rules: Compiled game.
        decision_point: Decision of one seat.
        text: The play as JSON, a word, or cards separated by blanks; an option as JSON or as its text.

    Returns:
        Up to MAX_READINGS readings, each with the proof of its legality or illegality.

    Raises:
        GameError: Cards are not in the hand, or they form no play of the game; or there is no such option.
    """
    decision = decision_point.decision
    if isinstance(decision, Choices):
        return [_derive_option(rules, decision_point, decision, text)]
    play = parse_play(rules, text)
    hand, cards = decision.view.hand[0], counts_from_cards(play.cards, len(rules.pack))
    missing = cards_from_counts(np.maximum(cards.astype(int) - hand, 0).astype(np.uint8))
    if missing:
        raise GameError(f"not in the hand: {rules.card_codes.to_text(missing)}", ErrorCode.INVALID_CARDS)
    forms = find_forms(rules, play.cards, int(decision.context[0])) if play.cards else (rules.forms.pass_form,)
    matching = [form for form in forms if matches_form(rules, play, form)]
    if not matching:
        raise GameError(
            f"{rules.card_codes.to_text(play.cards)}: these cards form no play of the game",
            ErrorCode.INVALID_MOVE,
        )
    rows = {form: _find_row(decision_point, form, play) for form in matching}
    labels: dict[int, int] = {}
    for form in sorted(matching, key=lambda form: rows[form] is None):
        labels.setdefault(int(rules.forms.label_of[form]), form)
    proof_finder = ProofFinder(rules.kb, _true_inputs(rules, decision, rules.play_query))
    return [
        PlayDerivation(rules.label_texts[label], rows[form], proof_finder.explain(f"{LEGAL}({rules.labels[label]})"))
        for label, form in list(labels.items())[:MAX_READINGS]
    ]


def _derive_option(rules: CompiledGame, decision_point: DecisionPoint, choice: Choices, text: str) -> PlayDerivation:
    option = read_option(rules, _parse_json(text))
    rows = np.flatnonzero(decision_point.move_lists.cards[:, 0] == option).tolist()
    proof_finder = ProofFinder(rules.kb, _true_inputs(rules, choice, rules.option_query))
    proof = proof_finder.explain(f"{OPTION}({rules.schema.options[option]})")
    return PlayDerivation(str(options_json(rules)[option]), rows[0] if rows else None, proof)


def _parse_json(text: str) -> Any:
    """Return a JSON value if it is of a type in which moves are written, else the text."""
    with suppress(ValueError):
        value = parse_json_line(text.encode())
        if isinstance(value, str | int | list | dict) and not isinstance(value, bool):
            return value
    return text


def _true_inputs(rules: CompiledGame, decision: Decisions | Choices, query: CircuitQuery) -> list[Atom]:
    """Return the inputs that hold at a decision, also those that no output of the query depends on."""
    writers = decision.column_writers
    circuit = replace(query.circuit, inputs=tuple(rules.kb.input_atoms))
    all_inputs = CircuitQuery.from_circuit(circuit, rules.schema, frozenset(writers))
    return true_atoms(all_inputs.build_rows(1, writers), circuit.inputs, 0)


def _find_row(decision_point: DecisionPoint, form: int, play: ParsedPlay) -> int | None:
    """Return the row of these cards in this form among the moves; None if there is none."""
    cards = sorted(play.cards)
    for row in np.flatnonzero(decision_point.move_lists.form == form).tolist():
        if sorted(card for card in decision_point.move_lists.cards[row].tolist() if card != NO_CARD) == cards:
            return row
    return None
