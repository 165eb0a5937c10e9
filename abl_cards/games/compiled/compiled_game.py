"""Everything the engine knows of a game: one knowledge base, its circuits, and the arrays that the kernels read."""

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
    MoveLookup,
    MoveTables,
    PackedTables,
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
MAX_TURN_ENTRIES = 1 << 24
"""Entries of a turn table."""
MAX_OPTIONS, MAX_STAGES = 250, 120
"""Of choices, which are numbered in a byte, and of a random number of a match."""


@dataclass(frozen=True)
class Seating:
    """Who sits at a table."""

    seats: int
    teams: tuple[int, ...]  # [seats]
    relative_names: tuple[Term, ...]  # the other seats by their distance, from 1
    next_seat: tuple[int, ...]  # [seats] who plays next
    num_dealt: tuple[int, ...]  # [seats] cards
    leftover_order: tuple[int, ...]  # in which order those who still hold cards take the last places

    @cached_property
    def play_order(self) -> NDArray[np.int64]:
        """[seats, seats] all seats in the order of play, from each seat on."""
        rounds = [np.arange(self.seats)]
        for _ in range(self.seats - 1):
            rounds.append(np.array(self.next_seat)[rounds[-1]])
        return np.stack(rounds, axis=1)

    @cached_property
    def turn_distance(self) -> NDArray[np.int64]:
        """[seats, seats] how many turns after each seat the others come."""
        return np.argsort(self.play_order, axis=1)

    @cached_property
    def others(self) -> NDArray[np.int8]:
        """[seats, others] the other seats in the order of play."""
        return self.play_order[:, 1:].astype(np.int8)


class MoveQuery(NamedTuple):
    """The question of every decision, and the books that find their way in the answers."""

    query: CircuitQuery  # legal/1 of every label, move/1 of forms, includes/1 of every card
    answer_rows: NDArray[np.int32]  # [forms] in which row of the answers it is said whether a form is allowed
    first_card_row: int  # the row of the first card
    requirable_cards: tuple[int, ...]  # the cards that there may be a word about
    move_tables: MoveTables
    packed: PackedTables | None  # for the kernels of games where each cell is one kind of card; None for other games
    lookup: (
        MoveLookup | None
    )  # for those of games where each form is one set of cards, in any context; None for other games


@dataclass(frozen=True)
class CompiledGame:
    """See the module."""

    kb: KnowledgeBase
    folder: Folder
    profile: str | None
    pack: Pack
    seating: Seating
    fluents: Fluents
    contexts: Contexts
    cells: Cells
    forms: Forms
    schema: InputSchema
    move_tables: MoveTables
    move_lookup: MoveLookup | None  # the cards of each form, where it is one set of cards in each context
    # legal/1 of every label, move/1 of every form, includes/1 of every card, in the order of their numbers
    play_query: CircuitQuery
    turn_table: TurnTable  # empty where whose turn it is depends on what is remembered
    turn_query: CircuitQuery | None  # turn/1, trick_over/0, over/0, where they are to be asked after every act
    strength: NDArray[np.int64]  # [contexts, forms] tier before strength
    tiers: Mapping[Term, int]  # by kind

    @property
    def labels(self) -> tuple[Term, ...]:
        """The pseudo-actions."""
        return self.forms.labels

    @cached_property
    def label_texts(self) -> tuple[str, ...]:
        """The labels as text, in the order of masks and policies."""
        return tuple(map(str, self.labels))

    @cached_property
    def move_query(self) -> MoveQuery:
        """What is asked at every decision; forms that are allowed where their label is legal are not asked for."""
        circuit, label_of = self.play_query.circuit, self.forms.label_of.astype(np.int32)
        literals, labels, forms = circuit.output_literals, len(self.labels), len(self.forms)
        own = np.flatnonzero(literals[labels : labels + forms] != literals[label_of])
        answer = label_of.copy()
        answer[own] = labels + np.arange(len(own))
        kept = [*range(labels), *(labels + own), *range(labels + forms, len(circuit.outputs))]
        told = CircuitQuery.from_circuit(with_outputs(circuit, [circuit.outputs[row] for row in kept]), self.schema)
        return self._build_move_query(told, answer, labels + len(own))

    @cached_property
    def full_move_query(self) -> MoveQuery:
        """The same with every form, for those who say themselves what is allowed."""
        labels, forms = len(self.labels), len(self.forms)
        return self._build_move_query(self.play_query, labels + np.arange(forms, dtype=np.int32), labels + forms)

    def _build_move_query(self, query: CircuitQuery, answer_rows: NDArray[np.int32], first_card_row: int) -> MoveQuery:
        book = with_form_rows(self.move_tables, answer_rows)
        bare = build_packed_tables(book, int(self.pack.copies.max()), self.forms.max_cards)
        wantable = tuple(np.flatnonzero(query.circuit.output_literals[first_card_row:] != FALSE).tolist())
        return MoveQuery(query, answer_rows, first_card_row, wantable, book, bare, None if bare else self.move_lookup)

    @cached_property
    def label_kinds(self) -> NDArray[np.float32]:
        """[labels, kinds] 1 where a card set of the label can have such a card among its cards."""
        return label_reach(self.move_tables, len(self.pack.copies))

    @cached_property
    def secret_stages(self) -> frozenset[Term]:
        """Stages where nobody else hears what is chosen."""
        return frozenset(stage for (stage,) in self.kb.facts("secret", 1))

    @cached_property
    def has_open_hands(self) -> bool:
        """Whether every hand lies open."""
        return bool(self.kb.facts("open_hands", 0))

    @cached_property
    def card_codes(self) -> CardCodes:
        """How cards are written; raises KBError."""
        return read_card_codes(self.kb, self.pack)

    @cached_property
    def history_length(self) -> int:
        """Acts that a table remembers: those of a round at least, so that the play to beat is among them."""
        return max([self.seating.seats, *(require_int(acts, "recent") for (acts,) in self.kb.facts("recent", 1))])

    @property
    def usual_hand_size(self) -> int:
        """The most cards that a hand comes to where one card changes hands at a time: those dealt, those aside, one."""
        dealt, cards = self.seating.num_dealt, len(self.pack.deck)
        changing, taking = (Signature.parse(name) in self.derived_outputs for name in ("passes/3", "takes_aside/1"))
        aside = max(0, cards - sum(dealt)) if changing or taking else 0
        return min(cards, max(dealt) + aside + changing)

    @cached_property
    def label_ranking(self) -> NDArray[np.int32]:
        """[contexts, labels] labels from weak to strong, those without a form first; of equal ones the earlier."""
        most = np.iinfo(np.int64).max
        weakest = np.full((len(self.labels), len(self.contexts)), most)
        np.minimum.at(weakest, self.forms.label_of, self.strength.T)
        weakest[weakest == most] = -1
        return np.argsort(np.argsort(weakest.T, axis=1, kind="stable"), axis=1).astype(np.int32)

    def create_state(self, n: int) -> TableState:
        """Tables with nothing on them."""
        words = self.schema
        return empty_state(
            n, self.seating.seats, len(self.pack), self.history_length, self.max_play_cards, len(self.fluents),
            len(words.lots), len(words.play_kinds) if self.belief_circuit else 0, self.trick_query is not None,
            len(self.pack.deck) if self.has_draws else 0,
        )  # fmt: skip

    @cached_property
    def trick_query(self) -> CircuitQuery | None:
        """The circuit of who takes a trick, and who goes on laying cards; None where seats play no tricks."""
        return self.build_query("takes/1", "more/0") if TAKES_SIGNATURE in self.derived_outputs else None

    @property
    def has_draws(self) -> bool:
        """Whether cards are drawn one by one, and not dealt at once."""
        return DRAWS_SIGNATURE in self.derived_outputs

    @property
    def has_composed_plays(self) -> bool:
        """Whether plays may be laid card by card."""
        return Signature("more", 0) in self.derived_outputs

    @cached_property
    def max_play_cards(self) -> int:
        """The most cards of a play: those of a form, or of one that is composed."""
        said = [require_int(cards, "composes") for (cards,) in self.kb.facts("composes", 1)]
        return max([self.forms.max_cards, *said])

    @cached_property
    def single_card_forms(self) -> NDArray[np.int16]:
        """[contexts, kinds] the form of each card by itself, the first whole one; the pass for one that is none."""
        found = np.full((len(self.contexts), len(self.pack)), self.forms.pass_form, np.int16)
        for place in np.flatnonzero((self.forms.num_cards == 1) & ~self.partial_forms)[::-1].tolist():
            group = self.forms.forms[place].groups[0]
            acting = (self.cells.acts_as == group.cell).any(axis=2)
            if group.only_kind is not None:
                acting &= np.arange(len(self.pack)) == group.only_kind
            found[acting] = place
        return found

    @cached_property
    def partial_forms(self) -> NDArray[np.bool_]:
        """[forms] what is a part of longer plays alone, by ``partial/1``."""
        found = np.zeros(len(self.forms), np.bool_)
        found[[self.forms.index[form] for (form,) in self.kb.facts("partial", 1) if form in self.forms.index]] = True
        return found

    @cached_property
    def card_points(self) -> NDArray[np.int64]:
        """[kinds] what each card is worth in a pile, by ``worth/2``; raises KBError."""
        found = np.zeros(len(self.pack), np.int64)
        for (card,), points in read_mapping(self.kb, "worth", 2, 1).items():
            if card in self.pack.index:
                found[self.pack.index[card]] = require_int(points, f"worth({card},…)")
        return found

    @cached_property
    def belief_circuit(self) -> Circuit | None:
        """The circuit of ``belief/3``, which is about what seats have shown; None where nothing is believed."""
        return self.kb.circuit("belief/3") if Signature("belief", 3) in self.derived_outputs else None

    def build_query(self, *outputs: str) -> CircuitQuery | None:
        """The circuit of some outputs; None where the rules derive none of them."""
        known = [name for name in outputs if Signature.parse(name) in self.derived_outputs]
        return CircuitQuery.from_circuit(self.kb.circuit(*known), self.schema) if known else None

    @cached_property
    def option_query(self) -> CircuitQuery:
        """The circuit of ``option/1``; raises KBError where somebody is asked and there is none."""
        told = self.build_query("option/1")
        if told is None:
            raise make_kb_error(
                "asks/2 asks, and no rule derives option/1", "say what may be chosen: option(bid(0..3))."
            )
        return told

    @cached_property
    def always_set_fluents(self) -> frozenset[Signature]:
        """The fluents of one value that always have one: all of it from the beginning of a match on."""
        begun = {str(text) for (text,) in self.kb.facts("init", 1)}
        dropped = {str(args[0]).partition("(")[0] for args in self.kb.instances("drop", 1)}
        return frozenset(
            fluent.signature
            for fluent in self.fluents.fluents
            if fluent.value_type == SINGLE_VALUED and fluent.is_persistent and fluent.signature.name not in dropped
            and all(
                any(_format_instance(fluent, key, value) in begun for value in fluent.values) for key in fluent.keys
            )
        )  # fmt: skip

    @cached_property
    def derived_outputs(self) -> frozenset[Signature]:
        """What the rules can derive at all."""
        return frozenset(self.kb.request.outputs)


def _format_instance(fluent: Fluent, key: Terms, value: Term) -> str:
    return f"{fluent.signature.name}({','.join(map(str, (*key, value)))})"


def compile_game(folder: Folder, profile: str | None = None, cache: bool = True) -> CompiledGame:
    """Load, check and compile a folder; raises KBError with the place of what is wrong."""
    kb, program = load_game_knowledge(folder, profile, cache), folder.program(profile)
    try:
        return _compile(kb, program, folder, profile)
    except KBError as problem:
        raise KBError([add_location(each, program, folder) for each in problem.diagnostics]) from None


def _compile(kb: KnowledgeBase, program: ProgramSummary, folder: Folder, profile: str | None) -> CompiledGame:
    if misnamed := list(find_wrong_arities(program)):
        raise KBError(misnamed)
    fluents = read_fluents(kb, read_fluent_types(find_fluent_declarations(program)))
    known = KnownNames(kb, program, folder, fluents)
    check_arguments(known)
    if untrue := list(find_wrong_inputs(known)):
        raise KBError(untrue)
    pack, table = read_pack(kb), _read_seating(kb)
    acting, strong = _compile_output(kb, "acts_as/2"), _compile_output(kb, "strength/2")
    contexts = find_contexts(fluents, [each for each in (acting, strong, _compile_output(kb, "beats/1")) if each])
    cells = read_cells(pack, acting, contexts) if acting else build_default_cells(pack, len(contexts))
    forms = read_forms(kb, pack, cells)
    words = _build_schema(kb, pack, cells, forms, fluents, table)
    untold = list(find_unsupplied_inputs(kb, words, program))
    if untold:
        raise KBError(untold)
    tiers = _read_tiers(kb, forms)
    strength = _compute_strengths(strong, contexts, forms, tiers)
    fixed = build_move_lookup(cells, forms, _order_forms(kb, contexts, forms, strength))
    return CompiledGame(
        kb, folder, profile or folder.default_profile, pack, table, fluents, contexts, cells, forms, words,
        _build_move_tables(kb, pack, cells, contexts, forms, strength, fixed is None), fixed,
        _build_play_query(kb, words, forms, pack), *_build_turn_table(kb, words, forms, table), strength, tiers,
    )  # fmt: skip


def _count_round(after: Mapping[Term, Term]) -> int:
    """How many seats come by before it is the turn of the first again."""
    seat, seen = after[0], 1
    while seat != 0:
        seat, seen = after[seat], seen + 1
    return seen


def _compile_output(kb: KnowledgeBase, output: str) -> Circuit | None:
    return kb.circuit(output) if Signature.parse(output) in kb.request.outputs else None


def _read_seating(kb: KnowledgeBase) -> Seating:
    seats = sorted(require_int(seat, f"seat({seat})") for (seat,) in kb.facts("seat", 1))
    if seats != list(range(len(seats))) or not 1 < len(seats) <= MAX_SEATS:
        raise make_kb_error(f"seat/1: {seats or 'none'}", f"number 2 to {MAX_SEATS} seats from 0: seat(0..3).")
    n = len(seats)
    after = kb.facts_as_dict("next") or {seat: (seat + 1) % n for seat in seats}
    if sorted(after) != seats or sorted(after.values(), key=str) != seats:
        raise make_kb_error("next/2 is no order of the seats", "give every seat one next seat, or #include <seats>.")
    if _count_round(after) < n:
        raise make_kb_error(
            f"next/2 leads from seat 0 to {_count_round(after)} seats of {n}", "let it lead round the whole table"
        )
    member = kb.facts_as_dict("member") or {seat: seat for seat in seats}
    dealt = {seat: require_int(count, "deals") for seat, count in kb.facts_as_dict("deals").items()}
    if less := [f"deals({seat},{count})" for seat, count in dealt.items() if count < 0]:
        raise make_kb_error(f"{less[0]}: a seat cannot get fewer than no cards", "write 0 or more")
    leftover = {seat: require_int(place, "leftover") for seat, place in kb.facts_as_dict("leftover").items()}
    who = {require_int(place, "who"): name for name, place in kb.facts_as_dict("who").items()}
    return Seating(
        n, tuple(require_int(member.get(seat, seat), "member") for seat in seats),
        tuple(who.get(place, place) for place in range(1, n)), tuple(int(after[seat]) for seat in seats),
        tuple(dealt.get(seat, 0) for seat in seats),
        tuple(sorted(seats, key=lambda seat: leftover.get(seat, seat))),
    )  # fmt: skip


def _build_schema(
    kb: KnowledgeBase, pack: Pack, cells: Cells, forms: Forms, fluents: Fluents, seating: Seating
) -> InputSchema:
    options = _read_options(kb, pack)
    stages = dict.fromkeys(args[0] for args in kb.instances("asks", 2))
    if len(stages) > MAX_STAGES:
        raise make_kb_error(f"asks/2: {len(stages)} stages", f"at most {MAX_STAGES}")
    lots = _read_lots(kb)
    kinds = tuple(dict.fromkeys(generalise_kind(form.kind) for form in forms.forms if form.name != PASS_TERM))
    ranks = _find_shown_ranks(cells, forms)
    left_over = max(0, len(pack.deck) - sum(seating.num_dealt))
    return InputSchema(
        cells, forms, fluents, seating.seats, seating.relative_names, tuple(stages), tuple(options), lots, kinds, ranks,
        pack.kinds, left_over,
    )  # fmt: skip


def _read_options(kb: KnowledgeBase, pack: Pack) -> list[Term]:
    """What may be chosen: what ``listed/2`` names by its keys, then cards as in vectors, all else in order of terms."""
    found = [args[0] for args in kb.instances("option", 1)]
    listed = kb.facts_as_dict("listed")
    keys = _rank_terms([listed[each] for each in found if each in listed])

    def place(option: Term) -> tuple[int, int]:
        return (0, keys[listed[option]]) if option in listed else (1, pack.index.get(option, len(pack)))

    if len(found) > MAX_OPTIONS:
        raise make_kb_error(f"option/1: {len(found)} options", f"at most {MAX_OPTIONS} in all the stages of choices")
    return sorted(found, key=place)


def _read_lots(kb: KnowledgeBase) -> tuple[Term, ...]:
    """The names of the random numbers of a match; raises KBError."""
    return tuple(kb.facts_as_dict("lots"))


def _find_shown_ranks(cells: Cells, forms: Forms) -> tuple[Term, ...]:
    """The cells that forms speak of, single cards behind the others; as many as there are bits."""
    used = [cells.names[cell] for cell in sorted({group.cell for form in forms.forms for group in form.groups})]
    return tuple(sorted(used, key=lambda name: parse_rank_and_suit(name) is not None)[:SHOWN_BITS])


def _read_tiers(kb: KnowledgeBase, forms: Forms) -> Mapping[Term, int]:
    said = {kind: require_int(tier, f"tier({kind},…)") for kind, tier in kb.facts_as_dict("tier").items()}
    return {kind: said.get(kind, 0) for kind in {form.kind for form in forms.forms}}


def _compute_strengths(
    circuit: Circuit | None, contexts: Contexts, forms: Forms, tiers: Mapping[Term, int]
) -> NDArray[np.int64]:
    """[contexts, forms] the order of the plays, tier before strength; strengths may be any terms."""
    table = np.zeros((len(contexts), len(forms)), np.int64)
    if circuit is not None:
        powers = _rank_terms([args[1] for _, args in circuit.outputs])
        for (_, (form, power)), truth in zip(circuit.outputs, contexts.evaluate(circuit), strict=True):
            if form in forms.index:
                table[truth == 1, forms.index[form]] = powers[power]
        _require_strengths(table, forms)
    span = int(table.max(initial=0)) + 1
    return table + span * np.array([tiers[form.kind] for form in forms.forms])


def _require_strengths(table: NDArray[np.int64], forms: Forms) -> None:
    """Raises KBError for a form that has none, though there are others of its kind to compare it with."""
    alone = Counter(form.kind for form in forms.forms)
    for place, form in enumerate(forms.forms):
        if alone[form.kind] > 1 and not table[:, place].any():
            raise make_kb_error(
                f"form {form.name} has no strength/2, and there are {alone[form.kind]} forms of its kind, {form.kind}",
                f"write strength({form.name},N): of one kind the higher N beats the lower",
            )


def _rank_terms(terms: list[Term]) -> dict[Term, int]:
    """Their places in clingo's order of terms; numbers stand for themselves."""
    import clingo

    if all(isinstance(term, int) for term in terms):
        low = min(terms, default=0)
        return {term: int(term) - int(low) + 1 for term in terms}
    ordered = sorted({term: clingo.parse_term(str(term)) for term in terms}.items(), key=lambda pair: pair[1])
    return {term: place + 1 for place, (term, _) in enumerate(ordered)}


def _build_move_tables(
    kb: KnowledgeBase, pack: Pack, cells: Cells, contexts: Contexts, forms: Forms, strength: NDArray[np.int64],
    is_enumerated: bool,
) -> MoveTables:  # fmt: skip
    orders = _read_set_orders(kb)
    catalogue = build_form_arrays(
        pack, cells, forms, _read_hand_order(kb, pack), LAST_DESCENDING in orders, is_enumerated
    )
    layout, ranks = catalogue.blocks, len(catalogue.slots.kind)
    listed = {label: key for label, key in kb.facts_as_dict("listed").items() if label in forms.label_index}
    keys = _rank_terms(list(listed.values()))
    first_form = [int(max(layout.form[b], layout.suit_form[b].max(), layout.tail_form[b % len(layout.tail_form)].max()))
                  for b in range(len(layout.label))]  # fmt: skip
    lists = []
    for context in range(len(contexts)):

        def place(block: int, context: int = context) -> tuple[int, int, int]:
            label = forms.labels[layout.label[block]]
            if not listed:
                return (0, 0, block)
            return keys.get(listed.get(label, ""), len(keys) + 1), int(strength[context, first_form[block]]), block

        lists.append(sorted(range(len(layout.label)), key=place))
    order = _order_ranks(forms, strength, _find_rank_cells(forms, ranks))
    sorted_rows = all(isinstance(kind, int) or "(" not in kind for kind in pack.kinds)
    alphabet, main_letter = np.arange(ranks, dtype=np.int16), np.full(len(layout.label), NO_INDEX, np.int16)
    if TEXT_ORDER in orders:
        letters = read_card_codes(kb, pack)
        texts = [
            letters.term_texts.get(cells.names[cell], str(cells.names[cell])) for cell in _find_rank_cells(forms, ranks)
        ]
        alphabet = np.array(sorted(range(ranks), key=texts.__getitem__), np.int16)
        main_letter = np.where(layout.kicker_row != NO_INDEX, layout.rank[:, 0], np.int16(NO_INDEX))
    return MoveTables.from_catalogue(
        catalogue, order, np.array(lists, np.int32), alphabet, main_letter, len(forms), sorted_rows
    )


def _order_forms(kb: KnowledgeBase, contexts: Contexts, forms: Forms, strength: NDArray[np.int64]) -> NDArray[np.int32]:
    """[contexts, forms] the forms in the order of lists: by ``listed(Label,Key)`` and strength, else by label."""
    listed = {label: key for label, key in kb.facts_as_dict("listed").items() if label in forms.label_index}
    keys, numbers = _rank_terms(list(listed.values())), np.arange(len(forms))
    if not listed:
        return np.tile(numbers, (len(contexts), 1)).astype(np.int32)
    key = np.array([keys.get(listed.get(forms.labels[label], ""), len(keys) + 1) for label in forms.label_of])
    return np.stack([np.lexsort((numbers, power, key)) for power in strength]).astype(np.int32)


LAST_DESCENDING, TEXT_ORDER = "last_descending", "text"
"""Orders of the card sets of a label: see combinations.py; as their texts are sorted, kickers among the others."""


def _read_set_orders(kb: KnowledgeBase) -> set[str]:
    orders = {str(name) for (name,) in kb.facts("order_of_sets", 1)}
    strange = sorted(orders - {LAST_DESCENDING, TEXT_ORDER})
    if strange:
        raise make_kb_error(f"order_of_sets({strange[0]}): no such order", f"write {LAST_DESCENDING}, or {TEXT_ORDER}")
    return orders


def _find_rank_cells(forms: Forms, ranks: int) -> list[int]:
    """The cells of the ranks of a layout."""
    used = sorted({group.cell for form in forms.forms for group in form.groups} | find_kicker_cells(forms))
    assert len(used) == ranks
    return used


def _order_ranks(forms: Forms, strength: NDArray[np.int64], cells: list[int]) -> NDArray[np.int16]:
    """[contexts, ranks] by the strength of the smallest form of a single group of each; those without one are last."""
    power = np.full((len(strength), len(cells)), np.iinfo(np.int64).max)
    size = np.full(len(cells), np.iinfo(np.int64).max)
    for place, form in enumerate(forms.forms):
        if len(form.groups) == 1 and not form.kickers:
            rank = cells.index(form.groups[0].cell)
            if form.num_cards < size[rank]:
                size[rank], power[:, rank] = form.num_cards, strength[:, place]
    return np.argsort(power, axis=1, kind="stable").astype(np.int16)


def _read_hand_order(kb: KnowledgeBase, pack: Pack) -> list[int]:
    """The kinds of cards as the sets of a list are sorted: by ``hand_order(Suit,I)``, else as in vectors."""
    places = {suit: require_int(place, "hand_order") for suit, place in kb.facts_as_dict("hand_order").items()}

    def place(kind: int) -> tuple[int, int]:
        parts = parse_rank_and_suit(pack.kinds[kind])
        return (places.get(parts[1], len(places)) if parts else 0), kind

    return sorted(range(len(pack)), key=place)


def _build_play_query(kb: KnowledgeBase, schema: InputSchema, forms: Forms, pack: Pack) -> CircuitQuery:
    missing = [name for name in ("legal/1", "move/1") if Signature.parse(name) not in kb.request.outputs]
    if missing:
        raise make_kb_error(f"no rule derives {missing[0]}", "#include <climbing>. has the rules that most games share")
    includes = ["includes/1"] if Signature("includes", 1) in kb.request.outputs else []
    circuit = kb.circuit("legal/1", "move/1", *includes)
    wanted = [Atom("legal", (label,)) for label in forms.labels] + [Atom("move", (form.name,)) for form in forms.forms]
    if includes:
        wanted += [Atom("includes", (kind,)) for kind in pack.kinds]
    return CircuitQuery.from_circuit(with_outputs(circuit, wanted), schema)


def _build_turn_table(
    kb: KnowledgeBase, schema: InputSchema, forms: Forms, seating: Seating
) -> tuple[TurnTable, CircuitQuery | None]:
    """Ask the circuit about every situation that there can be; or what is to be asked, where it is told fluents."""
    outputs = [name for name in ("turn/1", "trick_over/0", "over/0") if Signature.parse(name) in kb.request.outputs]
    if "over/0" not in outputs:
        raise make_kb_error("no rule derives over/0", "say when an episode is over: over :- out(S).")
    circuit = kb.circuit(*outputs)
    seats, told = seating.seats, CircuitQuery.from_circuit(circuit, schema)
    classes, examples = classify_forms(told, schema, forms)
    used = {name for name, _ in circuit.inputs}
    masks = 1 << seats
    sizes = Strides(
        last_actor=seats if "acted" in used else 1,
        owner=seats if "owner" in used else 1,
        passed=masks if "passed" in used else 1,
        passed_in_trick=masks if "has_passed" in used else 1,
        seats_out=masks if "out" in used else 1,
        last_form=len(examples),
        leader=seats if "leader" in used else 1,
    )
    leftover = np.array(seating.leftover_order, np.int8)
    if "fluents" in told.groups:
        none = Strides(*(0 for _ in sizes))._replace(passed_in_trick=int("has_passed" in used))
        return TurnTable(np.zeros(0, np.uint8), none, np.zeros(len(forms), np.int32), leftover), told
    total = int(np.prod(list(sizes), dtype=np.int64))
    if total > MAX_TURN_ENTRIES:
        raise make_kb_error(f"whose turn it is depends on {total} situations", "let turn/1 read fewer inputs")
    values = Strides(*(axis.ravel() for axis in np.indices(tuple(sizes))))

    last_form = examples[values.last_form]
    by_group = {
        "act": [values.last_actor, values.owner, values.passed, values.passed_in_trick, values.seats_out],
        "move": [last_form, forms.label_of[last_form]],
        "leader": [values.leader],
    }
    answers = told.evaluate(total, {name: make_array_writer(found) for name, found in by_group.items()})
    strides, stride = dict[str, int](), 1
    for name, size in reversed(sizes._asdict().items()):
        strides[name] = stride if size > 1 else 0
        stride *= size
    return TurnTable(encode_turn_entries(circuit, answers), Strides(**strides), classes, leftover), None


def classify_forms(
    query: CircuitQuery, schema: InputSchema, forms: Forms
) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """[forms] which forms a circuit cannot tell apart, and [classes] a form of each."""
    moves = CircuitQuery.from_circuit(query.circuit, schema, frozenset({"move"}))

    rows = moves.build_rows(len(forms), {"move": make_array_writer([np.arange(len(forms)), forms.label_of])})
    _, examples, classes = np.unique(rows, axis=1, return_index=True, return_inverse=True)
    return classes.reshape(-1).astype(np.int32), examples.astype(np.int16)


def encode_turn_entries(circuit: Circuit, answers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[n] what answers [outputs, n] of turn/1, trick_over/0, over/0 say, as in TurnTable.entries."""
    entries = np.zeros(answers.shape[1], np.uint8)
    turns = np.zeros(answers.shape[1], np.uint8)
    for (name, args), truth in zip(circuit.outputs, answers, strict=True):
        if name == "turn":
            entries |= truth * np.uint8(args[0])
            turns += truth
        elif name == "trick_over":
            entries |= truth * np.uint8(TRICK_OVER_BIT)
        else:
            entries |= truth * np.uint8(EPISODE_OVER_BIT)
    entries[(turns != 1) & (entries & EPISODE_OVER_BIT == 0)] = NO_NEXT_SEAT
    return entries


__all__ = ["CompiledGame", "Seating", "compile_game", "compute_fluent_inputs", "evaluate"]
