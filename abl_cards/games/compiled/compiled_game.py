"""Compile a rule folder to a knowledge base, circuits, and the arrays that the kernels read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, KBError, ProgramSummary, Signature, Term, make_kb_error
from abl_cards.circuit import FALSE, Circuit, KnowledgeBase, evaluate
from abl_cards.core import ErrorCode
from abl_cards.games.binding import CircuitQuery, make_array_writer
from abl_cards.games.description import (
    DRAWS_SIGNATURE,
    NO_INDEX,
    PASS_TERM,
    SHOWN_BITS,
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
    KnownNames,
    Pack,
    Terms,
    add_location,
    build_default_cells,
    build_form_arrays,
    check_arguments,
    compute_fluent_inputs,
    find_contexts,
    find_fluent_declarations,
    find_kicker_cells,
    find_unsupplied_inputs,
    find_wrong_arities,
    find_wrong_inputs,
    generalise_kind,
    load_game_knowledge,
    parse_rank_and_suit,
    read_card_codes,
    read_cells,
    read_fluent_types,
    read_fluents,
    read_forms,
    read_mapping,
    read_pack,
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
    build_move_lookup,
    build_packed_tables,
    label_reach,
    with_form_rows,
)
from abl_cards.games.state import (
    EPISODE_OVER_BIT,
    NO_NEXT_SEAT,
    TRICK_OVER_BIT,
    Strides,
    TableState,
    TurnTable,
    empty_state,
)

MAX_SEATS = 12
"""Maximum number of seats."""
MAX_TURN_ENTRIES = 1 << 24
"""Maximum number of entries of a turn table."""
MAX_OPTIONS, MAX_STAGES = 250, 120
"""Maximum numbers of options and stages, which are indexed by bytes."""
MIN_PACKED_FORMS = 1024
"""Answers for at least so many forms are left packed, and unpacked for the label that is drawn."""


@dataclass(frozen=True)
class Seating:
    """Seats of a table, their teams and order.

    Attributes:
        seats: Number of seats.
        teams: Team of each seat.
        relative_names: Names of the other seats by their distance, from 1.
        next_seat: Seat that plays after each seat.
        num_dealt: Number of cards dealt to each seat.
        leftover_order: Order in which seats that still hold cards take the last places.
    """

    seats: int
    teams: tuple[int, ...]
    relative_names: tuple[Term, ...]
    next_seat: tuple[int, ...]
    num_dealt: tuple[int, ...]
    leftover_order: tuple[int, ...]

    @cached_property
    def play_order(self) -> NDArray[np.int64]:
        """[seats, seats] seats in the order of play, starting from each seat."""
        columns = [np.arange(self.seats)]
        for _ in range(self.seats - 1):
            columns.append(np.array(self.next_seat)[columns[-1]])
        return np.stack(columns, axis=1)

    @cached_property
    def turn_distance(self) -> NDArray[np.int64]:
        """[seats, seats] number of turns from one seat to another."""
        return np.argsort(self.play_order, axis=1)

    @cached_property
    def others(self) -> NDArray[np.int8]:
        """[seats, seats - 1] other seats in the order of play."""
        return self.play_order[:, 1:].astype(np.int8)


class MoveQuery(NamedTuple):
    """Query that is evaluated at every decision, and the kernel tables that read its answers."""

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

    @property
    def labels(self) -> tuple[Term, ...]:
        """Labels of moves: the actions of policies."""
        return self.forms.labels

    @cached_property
    def label_texts(self) -> tuple[str, ...]:
        """Labels as text, in the order of masks and policies."""
        return tuple(map(str, self.labels))

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
        """Query of ``deals/2`` where fluents or random numbers decide it; None for the same number in every deal."""
        is_constant = len(self.kb.instances("deals", 2)) == len(self.kb.facts("deals", 2))
        return None if is_constant else self.build_query("deals/2")

    @property
    def has_draws(self) -> bool:
        """True if cards are drawn one by one from a stock."""
        return DRAWS_SIGNATURE in self.derived_outputs

    @cached_property
    def has_pile(self) -> bool:
        """True if hands are dealt at once, and the other cards are drawn during the episode, by ``draw_pile/0``."""
        return self.has_draws and bool(self.kb.facts("draw_pile", 0))

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
        """[contexts, kinds] first form of a single card of each kind that is no part of longer plays; else the pass."""
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


def compile_game(folder: Folder, profile: str | None = None, cache: bool = True) -> CompiledGame:
    """Load, check and compile a rule folder.

    Args:
        folder: Folder of the game.
        profile: Profile of the rules; None for the default profile.
        cache: Read and write the disk cache of ground programs and circuits.

    Returns:
        Compiled game.

    Raises:
        KBError: The rules are not valid, or do not describe a game; with locations.
    """
    kb, program = load_game_knowledge(folder, profile, cache), folder.program(profile)
    try:
        return _compile(kb, program, folder, profile)
    except KBError as error:
        diagnostics = [add_location(diagnostic, program, folder) for diagnostic in error.diagnostics]
        raise KBError(diagnostics) from None


def _compile(kb: KnowledgeBase, program: ProgramSummary, folder: Folder, profile: str | None) -> CompiledGame:
    if wrong_arities := list(find_wrong_arities(program)):
        raise KBError(wrong_arities)
    fluents = read_fluents(kb, read_fluent_types(find_fluent_declarations(program)))
    known = KnownNames(kb, program, folder, fluents)
    check_arguments(known)
    if wrong_inputs := list(find_wrong_inputs(known)):
        raise KBError(wrong_inputs)
    pack, seating = read_pack(kb), _read_seating(kb)
    acts_as, strengths = _compile_output(kb, "acts_as/2"), _compile_output(kb, "strength/2")
    contexts = find_contexts(
        fluents, [circuit for circuit in (acts_as, strengths, _compile_output(kb, "beats/1")) if circuit]
    )
    vacant = [cell for (cell,) in kb.facts("vacant", 1)]
    cells = read_cells(pack, acts_as, contexts, vacant) if acts_as else build_default_cells(pack, len(contexts), vacant)
    forms = read_forms(kb, pack, cells)
    schema = _build_schema(kb, pack, cells, forms, fluents, seating)
    unsupplied = list(find_unsupplied_inputs(kb, schema, program))
    if unsupplied:
        raise KBError(unsupplied)
    tiers = _read_tiers(kb, forms)
    strength = _compute_strengths(strengths, contexts, forms, tiers)
    lookup = build_move_lookup(cells, forms, _order_forms(kb, contexts, forms, strength))
    return CompiledGame(
        kb, folder, profile or folder.default_profile, pack, seating, fluents, contexts, cells, forms, schema,
        _build_move_tables(kb, pack, cells, contexts, forms, strength, lookup is None), lookup,
        _build_play_query(kb, schema, forms, pack), *_build_turn_table(kb, schema, forms, seating), strength, tiers,
    )  # fmt: skip


def _cycle_length(next_seats: Mapping[Term, Term]) -> int:
    """Count the seats from seat 0 until its next turn."""
    seat, length = next_seats[0], 1
    while seat != 0:
        seat, length = next_seats[seat], length + 1
    return length


def _compile_output(kb: KnowledgeBase, output: str) -> Circuit | None:
    return kb.circuit(output) if Signature.parse(output) in kb.request.outputs else None


def _read_seating(kb: KnowledgeBase) -> Seating:
    seats = sorted(require_int(seat, f"seat({seat})") for (seat,) in kb.facts("seat", 1))
    if seats != list(range(len(seats))) or not 1 < len(seats) <= MAX_SEATS:
        remedy = f"number 2 to {MAX_SEATS} seats from 0: seat(0..3)."
        raise make_kb_error(f"seat/1: {seats or 'none'}", remedy, ErrorCode.INVALID_SEATING)
    n = len(seats)
    next_seats = kb.facts_as_dict("next") or {seat: (seat + 1) % n for seat in seats}
    if sorted(next_seats) != seats or sorted(next_seats.values(), key=str) != seats:
        remedy = "give every seat one next seat, or #include <seats>."
        raise make_kb_error("next/2 is no order of the seats", remedy, ErrorCode.INVALID_SEATING)
    if _cycle_length(next_seats) < n:
        raise make_kb_error(
            f"next/2 leads from seat 0 to {_cycle_length(next_seats)} seats of {n}",
            "let it lead round the whole table",
            ErrorCode.INVALID_SEATING,
        )
    teams = kb.facts_as_dict("member") or {seat: seat for seat in seats}
    dealt = _read_dealt(kb)
    if negative := [f"deals({seat},{count})" for seat, count in dealt.items() if count < 0]:
        remedy = "write 0 or more"
        raise make_kb_error(f"{negative[0]}: the number of cards is negative", remedy, ErrorCode.INVALID_ARGUMENT)
    leftover = {seat: require_int(position, "leftover") for seat, position in kb.facts_as_dict("leftover").items()}
    relative_names = {require_int(position, "who"): name for name, position in kb.facts_as_dict("who").items()}
    return Seating(
        n, tuple(require_int(teams.get(seat, seat), "member") for seat in seats),
        tuple(relative_names.get(distance, distance) for distance in range(1, n)),
        tuple(int(next_seats[seat]) for seat in seats),
        tuple(dealt.get(seat, 0) for seat in seats),
        tuple(sorted(seats, key=lambda seat: leftover.get(seat, seat))),
    )  # fmt: skip


def _read_dealt(kb: KnowledgeBase) -> dict[Term, int]:
    """Read the cards dealt to each seat; where inputs decide it, those dealt in any case."""
    sizes: dict[Term, list[int]] = {}
    for seat, count in kb.instances("deals", 2):
        sizes.setdefault(seat, []).append(require_int(count, "deals"))
    fixed = {seat: require_int(count, "deals") for seat, count in kb.facts_as_dict("deals").items()}
    return {seat: fixed[seat] if seat in fixed else min(counts) for seat, counts in sizes.items()}


def _build_schema(
    kb: KnowledgeBase, pack: Pack, cells: Cells, forms: Forms, fluents: Fluents, seating: Seating
) -> InputSchema:
    options = _read_options(kb, pack)
    stages = dict.fromkeys(args[0] for args in kb.instances("asks", 2))
    if len(stages) > MAX_STAGES:
        raise make_kb_error(f"asks/2: {len(stages)} stages", f"at most {MAX_STAGES}", ErrorCode.GAME_TOO_LARGE)
    lots = _read_lots(kb)
    kinds = tuple(dict.fromkeys(generalise_kind(form.kind) for form in forms.forms if form.name != PASS_TERM))
    ranks = _find_shown_ranks(cells, forms)
    left_over = 0 if kb.facts("draw_pile", 0) else max(0, len(pack.deck) - sum(seating.num_dealt))
    return InputSchema(
        cells, forms, fluents, seating.seats, seating.relative_names, tuple(stages), tuple(options), lots, kinds, ranks,
        pack.kinds, left_over,
    )  # fmt: skip


def _read_options(kb: KnowledgeBase, pack: Pack) -> list[Term]:
    """Read the options of choices: those with ``listed/2`` by their keys, then cards, then the others by term order."""
    options = [args[0] for args in kb.instances("option", 1)]
    listed = kb.facts_as_dict("listed")
    keys = _rank_terms([listed[option] for option in options if option in listed])

    def sort_key(option: Term) -> tuple[int, int]:
        return (0, keys[listed[option]]) if option in listed else (1, pack.index.get(option, len(pack)))

    if len(options) > MAX_OPTIONS:
        remedy = f"at most {MAX_OPTIONS} in all the stages of choices"
        raise make_kb_error(f"option/1: {len(options)} options", remedy, ErrorCode.GAME_TOO_LARGE)
    return sorted(options, key=sort_key)


def _read_lots(kb: KnowledgeBase) -> tuple[Term, ...]:
    """Read the names of the random numbers of a match."""
    return tuple(kb.facts_as_dict("lots"))


def _find_shown_ranks(cells: Cells, forms: Forms) -> tuple[Term, ...]:
    """Find the cells that forms take, single cards last; at most SHOWN_BITS."""
    names = [cells.names[cell] for cell in sorted({group.cell for form in forms.forms for group in form.groups})]
    return tuple(sorted(names, key=lambda name: parse_rank_and_suit(name) is not None)[:SHOWN_BITS])


def _read_tiers(kb: KnowledgeBase, forms: Forms) -> Mapping[Term, int]:
    tiers = {kind: require_int(tier, f"tier({kind},…)") for kind, tier in kb.facts_as_dict("tier").items()}
    return {kind: tiers.get(kind, 0) for kind in {form.kind for form in forms.forms}}


def _compute_strengths(
    circuit: Circuit | None, contexts: Contexts, forms: Forms, tiers: Mapping[Term, int]
) -> NDArray[np.int64]:
    """Rank the forms [contexts, forms] by tier before strength; strengths may be any terms."""
    table = np.zeros((len(contexts), len(forms)), np.int64)
    if circuit is not None:
        ranks = _rank_terms([args[1] for _, args in circuit.outputs])
        for (_, (form, strength)), holds in zip(circuit.outputs, contexts.evaluate(circuit), strict=True):
            if form in forms.index:
                table[holds == 1, forms.index[form]] = ranks[strength]
        _require_strengths(table, forms)
    span = int(table.max(initial=0)) + 1
    return table + span * np.array([tiers[form.kind] for form in forms.forms])


def _require_strengths(table: NDArray[np.int64], forms: Forms) -> None:
    """Raise KBError for a form without a strength if there are other forms of its kind."""
    num_forms = Counter(form.kind for form in forms.forms)
    for index, form in enumerate(forms.forms):
        if num_forms[form.kind] > 1 and not table[:, index].any():
            raise make_kb_error(
                f"form {form.name} has no strength/2, and there are {num_forms[form.kind]} forms of its kind, "
                f"{form.kind}",
                f"write strength({form.name},N): of one kind the higher N beats the lower",
                ErrorCode.MISSING_FACT,
            )


def _rank_terms(terms: list[Term]) -> dict[Term, int]:
    """Rank terms from 1 in clingo's order of terms; integers keep their distances."""
    import clingo

    if all(isinstance(term, int) for term in terms):
        lowest = min(terms, default=0)
        return {term: int(term) - int(lowest) + 1 for term in terms}
    ordered = sorted({term: clingo.parse_term(str(term)) for term in terms}.items(), key=lambda pair: pair[1])
    return {term: index + 1 for index, (term, _) in enumerate(ordered)}


def _build_move_tables(
    kb: KnowledgeBase, pack: Pack, cells: Cells, contexts: Contexts, forms: Forms, strength: NDArray[np.int64],
    is_enumerated: bool,
) -> MoveTables:  # fmt: skip
    orders = _read_set_orders(kb)
    catalogue = build_form_arrays(
        pack, cells, forms, _read_hand_order(kb, pack), LAST_DESCENDING in orders, is_enumerated
    )
    blocks, num_ranks = catalogue.blocks, len(catalogue.slots.kind)
    list_keys = {label: key for label, key in kb.facts_as_dict("listed").items() if label in forms.label_index}
    key_ranks = _rank_terms(list(list_keys.values()))
    num_blocks, num_tails = len(blocks.label), len(blocks.tail_form)
    first_form = [int(max(blocks.form[block], blocks.suit_form[block].max(), blocks.tail_form[block % num_tails].max()))
                  for block in range(num_blocks)]  # fmt: skip
    lists = []
    for context in range(len(contexts)):

        def sort_key(block: int, context: int = context) -> tuple[int, int, int]:
            label = forms.labels[blocks.label[block]]
            if not list_keys:
                return (0, 0, block)
            return (
                key_ranks.get(list_keys.get(label, ""), len(key_ranks) + 1),
                int(strength[context, first_form[block]]),
                block,
            )

        lists.append(sorted(range(num_blocks), key=sort_key))
    rank_order = _order_ranks(forms, strength, _find_rank_cells(forms, num_ranks))
    sorted_rows = all(isinstance(kind, int) or "(" not in kind for kind in pack.kinds)
    alphabet, main_letter = np.arange(num_ranks, dtype=np.int16), np.full(len(blocks.label), NO_INDEX, np.int16)
    if TEXT_ORDER in orders:
        card_codes = read_card_codes(kb, pack)
        texts = [
            card_codes.term_texts.get(cells.names[cell], str(cells.names[cell]))
            for cell in _find_rank_cells(forms, num_ranks)
        ]
        alphabet = np.array(sorted(range(num_ranks), key=texts.__getitem__), np.int16)
        has_other_kickers = (blocks.kicker_row != NO_INDEX) & (blocks.has_own_kickers == 0)
        main_letter = np.where(has_other_kickers, blocks.rank[:, 0], np.int16(NO_INDEX))
    return MoveTables.from_catalogue(
        catalogue, rank_order, np.array(lists, np.int32), alphabet, main_letter, len(forms), sorted_rows
    )


def _order_forms(kb: KnowledgeBase, contexts: Contexts, forms: Forms, strength: NDArray[np.int64]) -> NDArray[np.int32]:
    """[contexts, forms] the forms in the order of lists: by ``listed(Label,Key)`` and strength, else by label."""
    list_keys = {label: key for label, key in kb.facts_as_dict("listed").items() if label in forms.label_index}
    key_ranks, form_indices = _rank_terms(list(list_keys.values())), np.arange(len(forms))
    if not list_keys:
        return np.tile(form_indices, (len(contexts), 1)).astype(np.int32)
    key = np.array(
        [key_ranks.get(list_keys.get(forms.labels[label], ""), len(key_ranks) + 1) for label in forms.label_of]
    )
    return np.stack([np.lexsort((form_indices, strengths, key)) for strengths in strength]).astype(np.int32)


LAST_DESCENDING, TEXT_ORDER = "last_descending", "text"
"""Orders of the card sets of a label: the last card descending (combinations.py); by text, kickers included."""


def _read_set_orders(kb: KnowledgeBase) -> set[str]:
    orders = {str(name) for (name,) in kb.facts("order_of_sets", 1)}
    unknown = sorted(orders - {LAST_DESCENDING, TEXT_ORDER})
    if unknown:
        remedy = f"write {LAST_DESCENDING}, or {TEXT_ORDER}"
        raise make_kb_error(f"order_of_sets({unknown[0]}): no such order", remedy, ErrorCode.UNKNOWN_NAME)
    return orders


def _find_rank_cells(forms: Forms, ranks: int) -> list[int]:
    """Find the cell of each rank of the form arrays."""
    cells = sorted({group.cell for form in forms.forms for group in form.groups} | find_kicker_cells(forms))
    assert len(cells) == ranks
    return cells


def _order_ranks(forms: Forms, strength: NDArray[np.int64], cells: list[int]) -> NDArray[np.int16]:
    """Order the ranks [contexts, ranks] by the strength of their smallest form of one group; ranks without one last."""
    rank_strength = np.full((len(strength), len(cells)), np.iinfo(np.int64).max)
    smallest = np.full(len(cells), np.iinfo(np.int64).max)
    for index, form in enumerate(forms.forms):
        if len(form.groups) == 1 and not form.kickers:
            rank = cells.index(form.groups[0].cell)
            if form.num_cards < smallest[rank]:
                smallest[rank], rank_strength[:, rank] = form.num_cards, strength[:, index]
    return np.argsort(rank_strength, axis=1, kind="stable").astype(np.int16)


def _read_hand_order(kb: KnowledgeBase, pack: Pack) -> list[int]:
    """Order the kinds of cards in lists of card sets: by ``hand_order(Suit,I)``, else by index."""
    suit_order = {suit: require_int(place, "hand_order") for suit, place in kb.facts_as_dict("hand_order").items()}

    def sort_key(kind: int) -> tuple[int, int]:
        parts = parse_rank_and_suit(pack.kinds[kind])
        return (suit_order.get(parts[1], len(suit_order)) if parts else 0), kind

    return sorted(range(len(pack)), key=sort_key)


def _build_play_query(kb: KnowledgeBase, schema: InputSchema, forms: Forms, pack: Pack) -> CircuitQuery:
    missing = [name for name in ("legal/1", "move/1") if Signature.parse(name) not in kb.request.outputs]
    if missing:
        remedy = "#include <climbing>. has the rules that most games share"
        raise make_kb_error(f"no rule derives {missing[0]}", remedy, ErrorCode.MISSING_OUTPUT)
    includes = ["includes/1"] if Signature("includes", 1) in kb.request.outputs else []
    circuit = kb.circuit("legal/1", "move/1", *includes)
    outputs = [Atom("legal", (label,)) for label in forms.labels] + [Atom("move", (form.name,)) for form in forms.forms]
    if includes:
        outputs += [Atom("includes", (kind,)) for kind in pack.kinds]
    return CircuitQuery.from_circuit(with_outputs(circuit, outputs), schema)


def _build_turn_table(
    kb: KnowledgeBase, schema: InputSchema, forms: Forms, seating: Seating
) -> tuple[TurnTable, CircuitQuery | None]:
    """Evaluate the circuit of turns for all situations; if it reads fluents, return its query and an empty table."""
    outputs = [name for name in ("turn/1", "trick_over/0", "over/0") if Signature.parse(name) in kb.request.outputs]
    if "over/0" not in outputs:
        remedy = "say when an episode is over: over :- out(S)."
        raise make_kb_error("no rule derives over/0", remedy, ErrorCode.MISSING_OUTPUT)
    circuit = kb.circuit(*outputs)
    seats, query = seating.seats, CircuitQuery.from_circuit(circuit, schema)
    classes, examples = classify_forms(query, schema, forms)
    predicates = {name for name, _ in circuit.inputs}
    num_masks = 1 << seats
    sizes = Strides(
        last_actor=seats if "acted" in predicates else 1,
        owner=seats if "owner" in predicates else 1,
        passed=num_masks if "passed" in predicates else 1,
        passed_in_trick=num_masks if "has_passed" in predicates else 1,
        seats_out=num_masks if "out" in predicates else 1,
        last_form=len(examples),
        leader=seats if "leader" in predicates else 1,
    )
    leftover = np.array(seating.leftover_order, np.int8)
    if "fluents" in query.groups:
        no_strides = Strides(*(0 for _ in sizes))._replace(passed_in_trick=int("has_passed" in predicates))
        return TurnTable(np.zeros(0, np.uint8), no_strides, np.zeros(len(forms), np.int32), leftover), query
    total = int(np.prod(list(sizes), dtype=np.int64))
    if total > MAX_TURN_ENTRIES:
        remedy = "let turn/1 read fewer inputs"
        raise make_kb_error(f"whose turn it is depends on {total} situations", remedy, ErrorCode.GAME_TOO_LARGE)
    situations = Strides(*(axis.ravel() for axis in np.indices(tuple(sizes))))

    last_form = examples[situations.last_form]
    columns = {
        "act": [
            situations.last_actor,
            situations.owner,
            situations.passed,
            situations.passed_in_trick,
            situations.seats_out,
        ],
        "move": [last_form, forms.label_of[last_form]],
        "leader": [situations.leader],
    }
    answers = query.evaluate(total, {name: make_array_writer(values) for name, values in columns.items()})
    strides, stride = dict[str, int](), 1
    for name, size in reversed(sizes._asdict().items()):
        strides[name] = stride if size > 1 else 0
        stride *= size
    return TurnTable(encode_turn_entries(circuit, answers), Strides(**strides), classes, leftover), None


def classify_forms(
    query: CircuitQuery, schema: InputSchema, forms: Forms
) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """Group the forms that a query does not distinguish.

    Args:
        query: Query whose circuit may read the form and label of a move.
        schema: Numbering of the arguments of inputs.
        forms: Forms of the game.

    Returns:
        Class of each form, int32 [forms], and a form of each class, int16 [classes].
    """
    moves = CircuitQuery.from_circuit(query.circuit, schema, frozenset({"move"}))

    rows = moves.build_rows(len(forms), {"move": make_array_writer([np.arange(len(forms)), forms.label_of])})
    _, examples, classes = np.unique(rows, axis=1, return_index=True, return_inverse=True)
    return classes.reshape(-1).astype(np.int32), examples.astype(np.int16)


def encode_turn_entries(circuit: Circuit, answers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Encode answers of ``turn/1``, ``trick_over/0`` and ``over/0`` as entries of a turn table.

    Args:
        circuit: Circuit whose outputs these are.
        answers: uint8 [outputs, n], truth of each output.

    Returns:
        uint8 [n], entries as in TurnTable.
    """
    entries = np.zeros(answers.shape[1], np.uint8)
    num_turns = np.zeros(answers.shape[1], np.uint8)
    for (name, args), holds in zip(circuit.outputs, answers, strict=True):
        if name == "turn":
            entries |= holds * np.uint8(args[0])
            num_turns += holds
        elif name == "trick_over":
            entries |= holds * np.uint8(TRICK_OVER_BIT)
        else:
            entries |= holds * np.uint8(EPISODE_OVER_BIT)
    entries[(num_turns != 1) & (entries & EPISODE_OVER_BIT == 0)] = NO_NEXT_SEAT
    return entries


__all__ = ["CompiledGame", "Seating", "compile_game", "compute_fluent_inputs", "evaluate"]
