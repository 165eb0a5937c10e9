"""Compiled game: the knowledge base, circuits and arrays of a rule folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature, Term, make_kb_error
from abl_cards.circuit import FALSE, Circuit, KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.binding import CircuitQuery
from abl_cards.games.compiled.seating import Seating
from abl_cards.games.description import (
    DRAWS_SIGNATURE,
    SINGLE_VALUED,
    TAKES_SIGNATURE,
    CardCodes,
    Cells,
    Contexts,
    Fluent,
    Fluents,
    Folder,
    Forms,
    InputSchema,
    Pack,
    Terms,
    read_card_codes,
    read_mapping,
    require_int,
    with_outputs,
)
from abl_cards.games.moves import (
    FormIndex,
    LabelForms,
    MoveLookup,
    MoveTables,
    PackedTables,
    build_form_index,
    build_label_forms,
    build_packed_tables,
    label_reach,
    with_form_rows,
)
from abl_cards.games.state import TableState, TurnTable, empty_state

MIN_PACKED_FORMS = 1024
"""Answers for at least so many forms are left packed, and unpacked for the label that is drawn."""


class MoveQuery(NamedTuple):
    """Query that is evaluated at every decision, and the kernel tables that read its outputs."""

    query: CircuitQuery  # outputs: legal/1 of every label, move/1 of forms, includes/1 of every card
    answer_rows: NDArray[np.int32]  # [forms] row of the answers that allows each form
    first_card_row: int  # row of the answers for the first card
    requirable_cards: tuple[int, ...]  # kinds of cards that a move may be required to include
    move_tables: MoveTables
    packed: PackedTables | None  # for games where each cell is one kind of card, else None
    lookup: MoveLookup | None  # for games where each form is one set of cards in any context, else None
    label_forms: LabelForms | None  # for games with so many forms that their answers are left packed, else None


@dataclass(frozen=True, eq=False)
class CompiledGame:
    """Game that is compiled from a rule folder: knowledge base, circuits and arrays."""

    kb: KnowledgeBase
    folder: Folder
    profile: str | None  # None for a folder without profiles
    pack: Pack
    seating: Seating
    fluents: Fluents
    contexts: Contexts
    cells: Cells
    forms: Forms
    schema: InputSchema
    move_tables: MoveTables
    move_lookup: MoveLookup | None  # cards of each form, if each form is one set of cards in each context
    # outputs legal/1 of every label, move/1 of every form and includes/1 of every card, in the order of their indices
    play_query: CircuitQuery
    turn_table: TurnTable  # without entries if the turn depends on fluents
    turn_query: CircuitQuery | None  # outputs turn/1, trick_over/0, over/0; None if the turn table has entries
    strength: NDArray[np.int64]  # [contexts, forms] rank of each form, by tier before strength
    tiers: Mapping[Term, int]  # tier of each kind of play

    def __repr__(self) -> str:
        return f"CompiledGame({str(self.folder.path)!r}, profile={self.profile!r})"

    @cached_property
    def labels(self) -> tuple[Term, ...]:
        """Labels of moves: the actions of policies."""
        return self.forms.labels

    @cached_property
    def label_texts(self) -> tuple[str, ...]:
        """Labels as text, in the order of masks and policies."""
        return tuple(map(str, self.labels))

    def is_compatible_with(self, other: CompiledGame) -> bool:
        """Return whether cards, labels and fluents are those of other rules, so that preferences fit both."""
        return self is other or (
            self.pack.kinds == other.pack.kinds
            and self.label_texts == other.label_texts
            and self.fluents.fluents == other.fluents.fluents
        )

    @cached_property
    def move_query(self) -> MoveQuery:
        """Query of every decision, without the forms that are allowed exactly where their label is legal."""
        circuit, label_of = self.play_query.circuit, self.forms.label_of.astype(np.int32)
        literals, labels, forms = circuit.output_literals, len(self.labels), len(self.forms)
        separate_forms = np.flatnonzero(literals[labels : labels + forms] != literals[label_of])
        answer_rows = label_of.copy()
        answer_rows[separate_forms] = labels + np.arange(len(separate_forms))
        output_rows = [*range(labels), *(labels + separate_forms), *range(labels + forms, len(circuit.outputs))]
        query = CircuitQuery.from_circuit(
            with_outputs(circuit, [circuit.outputs[row] for row in output_rows]), self.schema
        )
        move_query = self._build_move_query(query, answer_rows, labels + len(separate_forms))
        if len(separate_forms) < MIN_PACKED_FORMS or move_query.lookup is not None:
            return move_query
        return move_query._replace(label_forms=build_label_forms(self.move_tables, self.forms.label_of, answer_rows))

    @cached_property
    def full_move_query(self) -> MoveQuery:
        """Query with an output for every form, for callers that supply masks of forms."""
        labels, forms = len(self.labels), len(self.forms)
        return self._build_move_query(self.play_query, labels + np.arange(forms, dtype=np.int32), labels + forms)

    def _build_move_query(self, query: CircuitQuery, answer_rows: NDArray[np.int32], first_card_row: int) -> MoveQuery:
        tables = with_form_rows(self.move_tables, answer_rows)
        packed = build_packed_tables(tables, int(self.pack.copies.max()), self.forms.max_cards)
        requirable_cards = tuple(np.flatnonzero(query.circuit.output_literals[first_card_row:] != FALSE).tolist())
        return MoveQuery(
            query, answer_rows, first_card_row, requirable_cards, tables, packed, None if packed else self.move_lookup,
            None,
        )  # fmt: skip

    @cached_property
    def form_index(self) -> FormIndex:
        """Forms by their numbers of cards, for games whose card sets are enumerated."""
        return build_form_index(self.move_tables, self.pack.copies)

    @cached_property
    def label_kinds(self) -> NDArray[np.float32]:
        """[labels, kinds] 1 where a card set of the label can include the kind of card."""
        return label_reach(self.move_tables, len(self.pack.copies))

    @cached_property
    def secret_stages(self) -> frozenset[Term]:
        """Stages whose choices are hidden from the other seats, by ``secret/1``."""
        return frozenset(stage for (stage,) in self.kb.facts("secret", 1))

    @cached_property
    def has_open_hands(self) -> bool:
        """True if all hands are visible to all seats, by ``open_hands/0``."""
        return bool(self.kb.facts("open_hands", 0))

    @cached_property
    def card_codes(self) -> CardCodes:
        """Card notation, by ``letter/2``.

        Raises:
            KBError: A card has no text, or two cards have the same text.
        """
        return read_card_codes(self.kb, self.pack)

    @cached_property
    def history_length(self) -> int:
        """Number of recent acts that a table stores: one round at least, so that the play to beat is among them."""
        return max([self.seating.seats, *(require_int(acts, "recent") for (acts,) in self.kb.facts("recent", 1))])

    @cached_property
    def usual_hand_size(self) -> int:
        """Maximum size of a hand if one card changes hands at a time: cards dealt, cards aside, and one."""
        dealt, deck_size = self.seating.num_dealt, len(self.pack.deck)
        passes_cards, takes_aside = (
            Signature.parse(name) in self.derived_outputs for name in ("passes/3", "takes_aside/1")
        )
        is_open = passes_cards or takes_aside or self.has_pile or self.deal_query is not None
        aside = max(0, deck_size - sum(dealt)) if is_open else 0
        limits = [require_int(cards, "hand_limit") for (cards,) in self.kb.facts("hand_limit", 1)]
        return min([deck_size, max(dealt) + aside + passes_cards, *(limits if self.has_pile else ())])

    @cached_property
    def label_ranking(self) -> NDArray[np.int32]:
        """[contexts, labels] rank of each label by its weakest form; labels without a form first, ties by index."""
        max_strength = np.iinfo(np.int64).max
        weakest = np.full((len(self.labels), len(self.contexts)), max_strength)
        np.minimum.at(weakest, self.forms.label_of, self.strength.T)
        weakest[weakest == max_strength] = -1
        return np.argsort(np.argsort(weakest.T, axis=1, kind="stable"), axis=1).astype(np.int32)

    def create_state(self, n: int) -> TableState:
        """Create the state of tables before the first deal.

        Args:
            n: Number of tables.
        """
        schema = self.schema
        return empty_state(
            n, self.seating.seats, len(self.pack), self.history_length, self.max_play_cards, len(self.fluents),
            len(schema.lots), len(schema.play_kinds) if self.belief_circuit else 0, self.has_trick_cards,
            len(self.pack.deck) if self.has_draws else 0,
        )  # fmt: skip

    @cached_property
    def trick_query(self) -> CircuitQuery | None:
        """Query of ``takes/1`` and ``more/0``; None in games without tricks."""
        return self.build_query("takes/1", "more/0") if TAKES_SIGNATURE in self.derived_outputs else None

    @cached_property
    def keeps_trick_cards(self) -> bool:
        """True if seats play higher or pass, and rules read the cards of the trick (``in_trick/2,3,4``)."""
        return self.trick_query is None and any(name == "in_trick" for name, _ in self.kb.input_atoms)

    @property
    def has_trick_cards(self) -> bool:
        """True if tables store the cards of the trick."""
        return self.trick_query is not None or self.keeps_trick_cards

    @cached_property
    def deal_query(self) -> CircuitQuery | None:
        """Query of ``deals/2`` if it depends on fluents or random numbers; None if it is constant."""
        is_constant = len(self.kb.instances("deals", 2)) == len(self.kb.facts("deals", 2))
        return None if is_constant else self.build_query("deals/2")

    @property
    def has_draws(self) -> bool:
        """True if cards are drawn one by one from a stock, or could be (``draw_pile/0``)."""
        return self.derives_draws or self.has_pile

    @property
    def derives_draws(self) -> bool:
        """True if a rule says who draws."""
        return DRAWS_SIGNATURE in self.derived_outputs

    @cached_property
    def has_pile(self) -> bool:
        """True if hands are dealt at once, and the other cards are drawn during the episode, by ``draw_pile/0``."""
        return bool(self.kb.facts("draw_pile", 0))

    @cached_property
    def num_from_stock(self) -> int:
        """Number of cards of the stock that are dealt or drawn; the others are left over."""
        return len(self.pack.deck) if self.has_pile else sum(self.seating.num_dealt)

    @property
    def has_composed_plays(self) -> bool:
        """True if plays may be composed card by card."""
        return Signature("more", 0) in self.derived_outputs

    @cached_property
    def max_play_cards(self) -> int:
        """Maximum number of cards of a play, composed plays included."""
        composed = [require_int(cards, "composes") for (cards,) in self.kb.facts("composes", 1)]
        return max([self.forms.max_cards, *composed])

    @cached_property
    def single_card_forms(self) -> NDArray[np.int16]:
        """[contexts, kinds] first form of a single card of each kind, without parts of longer plays; else the pass."""
        form_of_kind = np.full((len(self.contexts), len(self.pack)), self.forms.pass_form, np.int16)
        for form in np.flatnonzero((self.forms.num_cards == 1) & ~self.partial_forms)[::-1].tolist():
            group = self.forms.forms[form].groups[0]
            acts = (self.cells.acts_as == group.cell).any(axis=2)
            if group.only_kind is not None:
                acts &= np.arange(len(self.pack)) == group.only_kind
            form_of_kind[acts] = form
        return form_of_kind

    @cached_property
    def partial_forms(self) -> NDArray[np.bool_]:
        """[forms] True for forms that are only parts of longer plays, by ``partial/1``."""
        is_partial = np.zeros(len(self.forms), np.bool_)
        is_partial[[self.forms.index[form] for (form,) in self.kb.facts("partial", 1) if form in self.forms.index]] = (
            True
        )
        return is_partial

    @cached_property
    def card_points(self) -> NDArray[np.int64]:
        """[kinds] points of each card in a trick, by ``worth/2``.

        Raises:
            KBError: A fact has no number.
        """
        points = np.zeros(len(self.pack), np.int64)
        for (card,), value in read_mapping(self.kb, "worth", 2, 1).items():
            if card in self.pack.index:
                points[self.pack.index[card]] = require_int(value, f"worth({card},…)")
        return points

    @cached_property
    def belief_circuit(self) -> Circuit | None:
        """Circuit of ``belief/3``, which reads play statistics; None if no rule derives it."""
        return self.kb.circuit("belief/3") if Signature("belief", 3) in self.derived_outputs else None

    def build_query(self, *outputs: str) -> CircuitQuery | None:
        """Build the query of some outputs.

        Args:
            *outputs: Names with arities, such as ``option/1``; those that no rule derives are left out.

        Returns:
            Query; None if the rules derive none of the outputs.
        """
        known = [name for name in outputs if Signature.parse(name) in self.derived_outputs]
        return CircuitQuery.from_circuit(self.kb.circuit(*known), self.schema) if known else None

    @cached_property
    def option_query(self) -> CircuitQuery:
        """Query of ``option/1``.

        Raises:
            KBError: No rule derives ``option/1``.
        """
        query = self.build_query("option/1")
        if query is None:
            raise make_kb_error(
                "asks/2 asks for a choice, and no rule derives option/1",
                "say what may be chosen: option(bid(0..3)).",
                ErrorCode.MISSING_OUTPUT,
            )
        return query

    @cached_property
    def always_set_fluents(self) -> frozenset[Signature]:
        """Fluents of one value that have a value for all of their keys throughout a match."""
        initial = {str(text) for (text,) in self.kb.facts("init", 1)}
        dropped = {str(args[0]).partition("(")[0] for args in self.kb.instances("drop", 1)}
        return frozenset(
            fluent.signature
            for fluent in self.fluents.fluents
            if fluent.value_type == SINGLE_VALUED and fluent.is_persistent and fluent.signature.name not in dropped
            and all(
                any(_format_instance(fluent, key, value) in initial for value in fluent.values) for key in fluent.keys
            )
        )  # fmt: skip

    @cached_property
    def derived_outputs(self) -> frozenset[Signature]:
        """Outputs that some rule derives."""
        return frozenset(self.kb.request.outputs)


def _format_instance(fluent: Fluent, key: Terms, value: Term) -> str:
    return f"{fluent.signature.name}({','.join(map(str, (*key, value)))})"
