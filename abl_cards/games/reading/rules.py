"""Everything the engine knows of a game: one knowledge base, its circuits, and the arrays that the kernels read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.play.bare import Bare, bare_of
from abl_cards.games.play.book import Book, answered_by
from abl_cards.games.play.fixed import Fixed, fixed_of
from abl_cards.games.play.state import NO_TURN, OVER, TRICK_OVER, State, Strides, Turns, empty_state
from abl_cards.games.play.wanted import reach_of
from abl_cards.games.questions import with_outputs
from abl_cards.games.reading.arguments import check_arguments
from abl_cards.games.reading.cells import Cells, plain_cells, read_cells
from abl_cards.games.reading.contexts import Contexts, contexts_of, fluent_rows
from abl_cards.games.reading.fluents import ONE, Arguments, Fluent, Fluents, declared_fluents, read_fluents
from abl_cards.games.reading.folder import Folder, declarations
from abl_cards.games.reading.forms import PASS, Forms, kind_shown, read_forms
from abl_cards.games.reading.inputs import wrong_inputs
from abl_cards.games.reading.known import Known
from abl_cards.games.reading.layout import NONE, carried_cells, read_catalogue
from abl_cards.games.reading.loading import of_another_arity, placed, read_knowledge
from abl_cards.games.reading.pack import Pack, rank_and_suit, read_pack
from abl_cards.games.reading.questions import DRAWS, TAKES, unsupplied
from abl_cards.games.shapes import number, one_each
from abl_cards.games.telling.columns import SHOWN_BITS, Words
from abl_cards.games.telling.writer import Told, columns_of
from abl_cards.games.words.letters import Letters, read_letters
from abl_cards.logic import Atom, Circuit, KBError, KnowledgeBase, Signature, Term, evaluate
from abl_cards.logic.circuit import FALSE
from abl_cards.logic.errors import kb_error
from abl_cards.logic.statements import Program

MOST_SEATS = 12
MOST_TURNS = 1 << 24
"""Entries of a turn table."""
MOST_OPTIONS, MOST_STAGES = 250, 120
"""Of choices, which are numbered in a byte, and of a random number of a match."""


@dataclass(frozen=True)
class Table:
    """Who sits at a table."""

    seats: int
    team: tuple[int, ...]  # [seats]
    who: tuple[Term, ...]  # the other seats by their distance, from 1
    after: tuple[int, ...]  # [seats] who plays next
    dealt: tuple[int, ...]  # [seats] cards
    leftover: tuple[int, ...]  # in which order those who still hold cards take the last places

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """[seats, seats] all seats in the order of play, from each seat on."""
        rounds = [np.arange(self.seats)]
        for _ in range(self.seats - 1):
            rounds.append(np.array(self.after)[rounds[-1]])
        return np.stack(rounds, axis=1)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """[seats, seats] how many turns after each seat the others come."""
        return np.argsort(self.order, axis=1)

    @cached_property
    def others(self) -> NDArray[np.int8]:
        """[seats, others] the other seats in the order of play."""
        return self.order[:, 1:].astype(np.int8)


class Asked(NamedTuple):
    """The question of every decision, and the books that find their way in the answers."""

    told: Told  # legal/1 of every label, move/1 of forms, includes/1 of every card
    answer: NDArray[np.int32]  # [forms] in which row of the answers it is said whether a form is allowed
    wanted: int  # the row of the first card
    wantable: tuple[int, ...]  # the cards that there may be a word about
    book: Book
    bare: Bare | None  # for the kernels of games where each cell is one kind of card; None for other games
    fixed: Fixed | None  # for those of games where each form is one set of cards, in any context; None for other games


@dataclass(frozen=True)
class Rules:
    """See the module."""

    kb: KnowledgeBase
    folder: Folder
    profile: str | None
    pack: Pack
    table: Table
    fluents: Fluents
    contexts: Contexts
    cells: Cells
    forms: Forms
    words: Words
    book: Book
    fixed: Fixed | None  # the cards of each form, where it is one set of cards in each context
    play: Told  # legal/1 of every label, move/1 of every form, includes/1 of every card, in the order of their numbers
    turns: Turns  # empty where whose turn it is depends on what is remembered
    course: Told | None  # turn/1, trick_over/0, over/0, where they are to be asked after every act
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
    def asked(self) -> Asked:
        """What is asked at every decision; forms that are allowed where their label is legal are not asked for."""
        circuit, label_of = self.play.circuit, self.forms.label_of.astype(np.int32)
        literals, labels, forms = circuit.output_literals, len(self.labels), len(self.forms)
        own = np.flatnonzero(literals[labels : labels + forms] != literals[label_of])
        answer = label_of.copy()
        answer[own] = labels + np.arange(len(own))
        kept = [*range(labels), *(labels + own), *range(labels + forms, len(circuit.outputs))]
        told = Told.of(with_outputs(circuit, [circuit.outputs[row] for row in kept]), self.words)
        return self._asked(told, answer, labels + len(own))

    @cached_property
    def asked_whole(self) -> Asked:
        """The same with every form, for those who say themselves what is allowed."""
        labels, forms = len(self.labels), len(self.forms)
        return self._asked(self.play, labels + np.arange(forms, dtype=np.int32), labels + forms)

    def _asked(self, told: Told, answer: NDArray[np.int32], wanted: int) -> Asked:
        book = answered_by(self.book, answer)
        bare = bare_of(book, int(self.pack.copies.max()), self.forms.most_cards)
        wantable = tuple(np.flatnonzero(told.circuit.output_literals[wanted:] != FALSE).tolist())
        return Asked(told, answer, wanted, wantable, book, bare, None if bare else self.fixed)

    @cached_property
    def reach(self) -> NDArray[np.float32]:
        """[labels, kinds] 1 where a card set of the label can have such a card among its cards."""
        return reach_of(self.book, len(self.pack.copies))

    @cached_property
    def secret(self) -> frozenset[Term]:
        """Stages where nobody else hears what is chosen."""
        return frozenset(stage for (stage,) in self.kb.facts("secret", 1))

    @cached_property
    def open_hands(self) -> bool:
        """Whether every hand lies open."""
        return bool(self.kb.facts("open_hands", 0))

    @cached_property
    def letters(self) -> Letters:
        """How cards are written; raises KBError."""
        return read_letters(self.kb, self.pack)

    @cached_property
    def recent(self) -> int:
        """Acts that a table remembers: those of a round at least, so that the play to beat is among them."""
        return max([self.table.seats, *(number(acts, "recent") for (acts,) in self.kb.facts("recent", 1))])

    @property
    def usual_hand(self) -> int:
        """The most cards that a hand comes to where one card changes hands at a time: those dealt, those aside, one."""
        dealt, cards = self.table.dealt, len(self.pack.deck)
        changing, taking = (Signature.parse(name) in self.derived for name in ("passes/3", "takes_aside/1"))
        aside = max(0, cards - sum(dealt)) if changing or taking else 0
        return min(cards, max(dealt) + aside + changing)

    @cached_property
    def ranking(self) -> NDArray[np.int32]:
        """[contexts, labels] labels from weak to strong, those without a form first; of equal ones the earlier."""
        most = np.iinfo(np.int64).max
        weakest = np.full((len(self.labels), len(self.contexts)), most)
        np.minimum.at(weakest, self.forms.label_of, self.strength.T)
        weakest[weakest == most] = -1
        return np.argsort(np.argsort(weakest.T, axis=1, kind="stable"), axis=1).astype(np.int32)

    def tables(self, n: int) -> State:
        """Tables with nothing on them."""
        words = self.words
        return empty_state(
            n, self.table.seats, len(self.pack), self.recent, self.widest, len(self.fluents), len(words.lots),
            len(words.kinds) if self.beliefs else 0, self.taking is not None, len(self.pack.deck) if self.draws else 0,
        )  # fmt: skip

    @cached_property
    def taking(self) -> Told | None:
        """The circuit of who takes a trick, and who goes on laying cards; None where seats play no tricks."""
        return self.told("takes/1", "more/0") if TAKES in self.derived else None

    @property
    def draws(self) -> bool:
        """Whether cards are drawn one by one, and not dealt at once."""
        return DRAWS in self.derived

    @property
    def composing(self) -> bool:
        """Whether plays may be laid card by card."""
        return Signature("more", 0) in self.derived

    @cached_property
    def widest(self) -> int:
        """The most cards of a play: those of a form, or of one that is composed."""
        said = [number(cards, "composes") for (cards,) in self.kb.facts("composes", 1)]
        return max([self.forms.most_cards, *said])

    @cached_property
    def alone(self) -> NDArray[np.int16]:
        """[contexts, kinds] the form of each card by itself, the first whole one; the pass for one that is none."""
        found = np.full((len(self.contexts), len(self.pack)), self.forms.passing, np.int16)
        for place in np.flatnonzero((self.forms.cards_of == 1) & ~self.partial)[::-1].tolist():
            group = self.forms.forms[place].groups[0]
            acting = (self.cells.acts == group.cell).any(axis=2)
            if group.only is not None:
                acting &= np.arange(len(self.pack)) == group.only
            found[acting] = place
        return found

    @cached_property
    def partial(self) -> NDArray[np.bool_]:
        """[forms] what is a part of longer plays alone, by ``partial/1``."""
        found = np.zeros(len(self.forms), np.bool_)
        found[[self.forms.number[form] for (form,) in self.kb.facts("partial", 1) if form in self.forms.number]] = True
        return found

    @cached_property
    def worth(self) -> NDArray[np.int64]:
        """[kinds] what each card is worth in a pile, by ``worth/2``; raises KBError."""
        found = np.zeros(len(self.pack), np.int64)
        for (card,), points in one_each(self.kb, "worth", 2, 1).items():
            if card in self.pack.number:
                found[self.pack.number[card]] = number(points, f"worth({card},…)")
        return found

    @cached_property
    def beliefs(self) -> Circuit | None:
        """The circuit of ``belief/3``, which is about what seats have shown; None where nothing is believed."""
        return self.kb.circuit("belief/3") if Signature("belief", 3) in self.derived else None

    def told(self, *outputs: str) -> Told | None:
        """The circuit of some outputs; None where the rules derive none of them."""
        known = [name for name in outputs if Signature.parse(name) in self.derived]
        return Told.of(self.kb.circuit(*known), self.words) if known else None

    @cached_property
    def choosing(self) -> Told:
        """The circuit of ``option/1``; raises KBError where somebody is asked and there is none."""
        told = self.told("option/1")
        if told is None:
            raise kb_error("asks/2 asks, and no rule derives option/1", "say what may be chosen: option(bid(0..3)).")
        return told

    @cached_property
    def steady(self) -> frozenset[Signature]:
        """The fluents of one value that always have one: all of it from the beginning of a match on."""
        begun = {str(text) for (text,) in self.kb.facts("init", 1)}
        dropped = {str(args[0]).partition("(")[0] for args in self.kb.instances("drop", 1)}
        return frozenset(
            fluent.signature
            for fluent in self.fluents.fluents
            if fluent.manner == ONE and fluent.lasting and fluent.signature.name not in dropped
            and all(any(_instance(fluent, key, value) in begun for value in fluent.values) for key in fluent.keys)
        )  # fmt: skip

    @cached_property
    def derived(self) -> frozenset[Signature]:
        """What the rules can derive at all."""
        return frozenset(self.kb.request.outputs)


def _instance(fluent: Fluent, key: Arguments, value: Term) -> str:
    return f"{fluent.signature.name}({','.join(map(str, (*key, value)))})"


def read_rules(folder: Folder, profile: str | None = None, cache: bool = True) -> Rules:
    """Load, check and compile a folder; raises KBError with the place of what is wrong."""
    kb, program = read_knowledge(folder, profile, cache), folder.program(profile)
    try:
        return _read(kb, program, folder, profile)
    except KBError as problem:
        raise KBError([placed(each, program, folder) for each in problem.diagnostics]) from None


def _read(kb: KnowledgeBase, program: Program, folder: Folder, profile: str | None) -> Rules:
    if misnamed := list(of_another_arity(program)):
        raise KBError(misnamed)
    fluents = read_fluents(kb, declared_fluents(declarations(program)))
    known = Known(kb, program, folder, fluents)
    check_arguments(known)
    if untrue := list(wrong_inputs(known)):
        raise KBError(untrue)
    pack, table = read_pack(kb), _read_table(kb)
    acting, strong = _circuit(kb, "acts_as/2"), _circuit(kb, "strength/2")
    contexts = contexts_of(fluents, [each for each in (acting, strong, _circuit(kb, "beats/1")) if each])
    cells = read_cells(pack, acting, contexts) if acting else plain_cells(pack, len(contexts))
    forms = read_forms(kb, pack, cells)
    words = _words(kb, pack, cells, forms, fluents, table)
    untold = list(unsupplied(kb, words, program))
    if untold:
        raise KBError(untold)
    tiers = _tiers(kb, forms)
    strength = _strengths(strong, contexts, forms, tiers)
    fixed = fixed_of(cells, forms, _form_lists(kb, contexts, forms, strength))
    return Rules(
        kb, folder, profile or folder.default_profile, pack, table, fluents, contexts, cells, forms, words,
        _book(kb, pack, cells, contexts, forms, strength, fixed is None), fixed, _play(kb, words, forms, pack),
        *_turns(kb, words, forms, table), strength, tiers,
    )  # fmt: skip


def _round(after: Mapping[Term, Term]) -> int:
    """How many seats come by before it is the turn of the first again."""
    seat, seen = after[0], 1
    while seat != 0:
        seat, seen = after[seat], seen + 1
    return seen


def _circuit(kb: KnowledgeBase, output: str) -> Circuit | None:
    return kb.circuit(output) if Signature.parse(output) in kb.request.outputs else None


def _read_table(kb: KnowledgeBase) -> Table:
    seats = sorted(number(seat, f"seat({seat})") for (seat,) in kb.facts("seat", 1))
    if seats != list(range(len(seats))) or not 1 < len(seats) <= MOST_SEATS:
        raise kb_error(f"seat/1: {seats or 'none'}", f"number 2 to {MOST_SEATS} seats from 0: seat(0..3).")
    n = len(seats)
    after = kb.pairs("next") or {seat: (seat + 1) % n for seat in seats}
    if sorted(after) != seats or sorted(after.values(), key=str) != seats:
        raise kb_error("next/2 is no order of the seats", "give every seat one next seat, or #include <seats>.")
    if _round(after) < n:
        raise kb_error(f"next/2 leads from seat 0 to {_round(after)} seats of {n}", "let it lead round the whole table")
    member = kb.pairs("member") or {seat: seat for seat in seats}
    dealt = {seat: number(count, "deals") for seat, count in kb.pairs("deals").items()}
    if less := [f"deals({seat},{count})" for seat, count in dealt.items() if count < 0]:
        raise kb_error(f"{less[0]}: a seat cannot get fewer than no cards", "write 0 or more")
    leftover = {seat: number(place, "leftover") for seat, place in kb.pairs("leftover").items()}
    who = {number(place, "who"): name for name, place in kb.pairs("who").items()}
    return Table(
        n, tuple(number(member.get(seat, seat), "member") for seat in seats),
        tuple(who.get(place, place) for place in range(1, n)), tuple(int(after[seat]) for seat in seats),
        tuple(dealt.get(seat, 0) for seat in seats),
        tuple(sorted(seats, key=lambda seat: leftover.get(seat, seat))),
    )  # fmt: skip


def _words(kb: KnowledgeBase, pack: Pack, cells: Cells, forms: Forms, fluents: Fluents, table: Table) -> Words:
    options = _options(kb, pack)
    stages = dict.fromkeys(args[0] for args in kb.instances("asks", 2))
    if len(stages) > MOST_STAGES:
        raise kb_error(f"asks/2: {len(stages)} stages", f"at most {MOST_STAGES}")
    lots = _lots(kb)
    kinds = tuple(dict.fromkeys(kind_shown(form.kind) for form in forms.forms if form.name != PASS))
    ranks = _ranks_shown(cells, forms)
    left_over = max(0, len(pack.deck) - sum(table.dealt))
    return Words(
        cells, forms, fluents, table.seats, table.who, tuple(stages), tuple(options), lots, kinds, ranks, pack.kinds,
        left_over,
    )  # fmt: skip


def _options(kb: KnowledgeBase, pack: Pack) -> list[Term]:
    """What may be chosen: what ``listed/2`` names by its keys, then cards as in vectors, all else in order of terms."""
    found = [args[0] for args in kb.instances("option", 1)]
    listed = kb.pairs("listed")
    keys = _in_order([listed[each] for each in found if each in listed])

    def place(option: Term) -> tuple[int, int]:
        return (0, keys[listed[option]]) if option in listed else (1, pack.number.get(option, len(pack)))

    if len(found) > MOST_OPTIONS:
        raise kb_error(f"option/1: {len(found)} options", f"at most {MOST_OPTIONS} in all the stages of choices")
    return sorted(found, key=place)


def _lots(kb: KnowledgeBase) -> tuple[Term, ...]:
    """The names of the random numbers of a match; raises KBError."""
    return tuple(kb.pairs("lots"))


def _ranks_shown(cells: Cells, forms: Forms) -> tuple[Term, ...]:
    """The cells that forms speak of, single cards behind the others; as many as there are bits."""
    used = [cells.names[cell] for cell in sorted({group.cell for form in forms.forms for group in form.groups})]
    return tuple(sorted(used, key=lambda name: rank_and_suit(name) is not None)[:SHOWN_BITS])


def _tiers(kb: KnowledgeBase, forms: Forms) -> Mapping[Term, int]:
    said = {kind: number(tier, f"tier({kind},…)") for kind, tier in kb.pairs("tier").items()}
    return {kind: said.get(kind, 0) for kind in {form.kind for form in forms.forms}}


def _strengths(
    circuit: Circuit | None, contexts: Contexts, forms: Forms, tiers: Mapping[Term, int]
) -> NDArray[np.int64]:
    """[contexts, forms] the order of the plays, tier before strength; strengths may be any terms."""
    table = np.zeros((len(contexts), len(forms)), np.int64)
    if circuit is not None:
        powers = _in_order([args[1] for _, args in circuit.outputs])
        for (_, (form, power)), truth in zip(circuit.outputs, contexts.ask(circuit), strict=True):
            if form in forms.number:
                table[truth == 1, forms.number[form]] = powers[power]
        _require_strengths(table, forms)
    span = int(table.max(initial=0)) + 1
    return table + span * np.array([tiers[form.kind] for form in forms.forms])


def _require_strengths(table: NDArray[np.int64], forms: Forms) -> None:
    """Raises KBError for a form that has none, though there are others of its kind to compare it with."""
    alone = Counter(form.kind for form in forms.forms)
    for place, form in enumerate(forms.forms):
        if alone[form.kind] > 1 and not table[:, place].any():
            raise kb_error(
                f"form {form.name} has no strength/2, and there are {alone[form.kind]} forms of its kind, {form.kind}",
                f"write strength({form.name},N): of one kind the higher N beats the lower",
            )


def _in_order(terms: list[Term]) -> dict[Term, int]:
    """Their places in clingo's order of terms; numbers stand for themselves."""
    import clingo

    if all(isinstance(term, int) for term in terms):
        low = min(terms, default=0)
        return {term: int(term) - int(low) + 1 for term in terms}
    ordered = sorted({term: clingo.parse_term(str(term)) for term in terms}.items(), key=lambda pair: pair[1])
    return {term: place + 1 for place, (term, _) in enumerate(ordered)}


def _book(
    kb: KnowledgeBase, pack: Pack, cells: Cells, contexts: Contexts, forms: Forms, strength: NDArray[np.int64],
    walked: bool,
) -> Book:  # fmt: skip
    orders = _orders_of_sets(kb)
    catalogue = read_catalogue(pack, cells, forms, _hand_order(kb, pack), LAST_DESCENDING in orders, walked)
    layout, ranks = catalogue.layout, len(catalogue.slots.kind)
    listed = {label: key for label, key in kb.pairs("listed").items() if label in forms.label_number}
    keys = _in_order(list(listed.values()))
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
    order = _weak_to_strong(forms, strength, _cell_ranks(forms, ranks))
    sorted_rows = all(isinstance(kind, int) or "(" not in kind for kind in pack.kinds)
    alphabet, main_letter = np.arange(ranks, dtype=np.int16), np.full(len(layout.label), NONE, np.int16)
    if TEXT in orders:
        letters = read_letters(kb, pack)
        texts = [letters.terms.get(cells.names[cell], str(cells.names[cell])) for cell in _cell_ranks(forms, ranks)]
        alphabet = np.array(sorted(range(ranks), key=texts.__getitem__), np.int16)
        main_letter = np.where(layout.carrying != NONE, layout.rank[:, 0], np.int16(NONE))
    return Book.of(catalogue, order, np.array(lists, np.int32), alphabet, main_letter, len(forms), sorted_rows)


def _form_lists(kb: KnowledgeBase, contexts: Contexts, forms: Forms, strength: NDArray[np.int64]) -> NDArray[np.int32]:
    """[contexts, forms] the forms in the order of lists: by ``listed(Label,Key)`` and strength, else by label."""
    listed = {label: key for label, key in kb.pairs("listed").items() if label in forms.label_number}
    keys, numbers = _in_order(list(listed.values())), np.arange(len(forms))
    if not listed:
        return np.tile(numbers, (len(contexts), 1)).astype(np.int32)
    key = np.array([keys.get(listed.get(forms.labels[label], ""), len(keys) + 1) for label in forms.label_of])
    return np.stack([np.lexsort((numbers, power, key)) for power in strength]).astype(np.int32)


LAST_DESCENDING, TEXT = "last_descending", "text"
"""Orders of the card sets of a label: see combinations.py; as their texts are sorted, kickers among the others."""


def _orders_of_sets(kb: KnowledgeBase) -> set[str]:
    orders = {str(name) for (name,) in kb.facts("order_of_sets", 1)}
    strange = sorted(orders - {LAST_DESCENDING, TEXT})
    if strange:
        raise kb_error(f"order_of_sets({strange[0]}): no such order", f"write {LAST_DESCENDING}, or {TEXT}")
    return orders


def _cell_ranks(forms: Forms, ranks: int) -> list[int]:
    """The cells of the ranks of a layout."""
    used = sorted({group.cell for form in forms.forms for group in form.groups} | carried_cells(forms))
    assert len(used) == ranks
    return used


def _weak_to_strong(forms: Forms, strength: NDArray[np.int64], cells: list[int]) -> NDArray[np.int16]:
    """[contexts, ranks] by the strength of the smallest form of a single group of each; those without one are last."""
    power = np.full((len(strength), len(cells)), np.iinfo(np.int64).max)
    size = np.full(len(cells), np.iinfo(np.int64).max)
    for place, form in enumerate(forms.forms):
        if len(form.groups) == 1 and not form.kickers:
            rank = cells.index(form.groups[0].cell)
            if form.cards < size[rank]:
                size[rank], power[:, rank] = form.cards, strength[:, place]
    return np.argsort(power, axis=1, kind="stable").astype(np.int16)


def _hand_order(kb: KnowledgeBase, pack: Pack) -> list[int]:
    """The kinds of cards as the sets of a list are sorted: by ``hand_order(Suit,I)``, else as in vectors."""
    places = {suit: number(place, "hand_order") for suit, place in kb.pairs("hand_order").items()}

    def place(kind: int) -> tuple[int, int]:
        parts = rank_and_suit(pack.kinds[kind])
        return (places.get(parts[1], len(places)) if parts else 0), kind

    return sorted(range(len(pack)), key=place)


def _play(kb: KnowledgeBase, words: Words, forms: Forms, pack: Pack) -> Told:
    missing = [name for name in ("legal/1", "move/1") if Signature.parse(name) not in kb.request.outputs]
    if missing:
        raise kb_error(f"no rule derives {missing[0]}", "#include <climbing>. has the rules that most games share")
    includes = ["includes/1"] if Signature("includes", 1) in kb.request.outputs else []
    circuit = kb.circuit("legal/1", "move/1", *includes)
    wanted = [Atom("legal", (label,)) for label in forms.labels] + [Atom("move", (form.name,)) for form in forms.forms]
    if includes:
        wanted += [Atom("includes", (kind,)) for kind in pack.kinds]
    return Told.of(with_outputs(circuit, wanted), words)


def _turns(kb: KnowledgeBase, words: Words, forms: Forms, table: Table) -> tuple[Turns, Told | None]:
    """Ask the circuit about every situation that there can be; or what is to be asked, where it is told fluents."""
    outputs = [name for name in ("turn/1", "trick_over/0", "over/0") if Signature.parse(name) in kb.request.outputs]
    if "over/0" not in outputs:
        raise kb_error("no rule derives over/0", "say when an episode is over: over :- out(S).")
    circuit = kb.circuit(*outputs)
    seats, told = table.seats, Told.of(circuit, words)
    classes, examples = form_classes(told, words, forms)
    used = {name for name, _ in circuit.inputs}
    masks = 1 << seats
    sizes = {
        "acted": seats if "acted" in used else 1, "owner": seats if "owner" in used else 1,
        "passed": masks if "passed" in used else 1, "gone_by": masks if "has_passed" in used else 1,
        "out": masks if "out" in used else 1, "laid": len(examples),
        "leader": seats if "leader" in used else 1,
    }  # fmt: skip
    leftover = np.array(table.leftover, np.int8)
    if "fluents" in told.groups:
        none = Strides(**dict.fromkeys(sizes, 0))._replace(gone_by=int("has_passed" in used))
        return Turns(np.zeros(0, np.uint8), none, np.zeros(len(forms), np.int32), leftover), told
    total = int(np.prod(list(sizes.values()), dtype=np.int64))
    if total > MOST_TURNS:
        raise kb_error(f"whose turn it is depends on {total} situations", "let turn/1 read fewer inputs")
    axes = [axis.ravel() for axis in np.indices(tuple(sizes.values()))]
    values = dict(zip(sizes, axes, strict=True))

    laid = examples[values["laid"]]
    by_group = {
        "act": [values[name] for name in ("acted", "owner", "passed", "gone_by", "out")],
        "move": [laid, forms.label_of[laid]],
        "leader": [values["leader"]],
    }
    answers = told.ask(total, {name: columns_of(found) for name, found in by_group.items()})
    strides, stride = {}, 1
    for name in reversed(sizes):
        strides[name] = stride if sizes[name] > 1 else 0
        stride *= sizes[name]
    return Turns(entries_of(circuit, answers), Strides(**strides), classes, leftover), None


def form_classes(told: Told, words: Words, forms: Forms) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """[forms] which forms a circuit cannot tell apart, and [classes] a form of each."""
    moves = Told.of(told.circuit, words, frozenset({"move"}))

    rows = moves.rows(len(forms), {"move": columns_of([np.arange(len(forms)), forms.label_of])})
    _, examples, classes = np.unique(rows, axis=1, return_index=True, return_inverse=True)
    return classes.reshape(-1).astype(np.int32), examples.astype(np.int16)


def entries_of(circuit: Circuit, answers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[n] what answers [outputs, n] of turn/1, trick_over/0, over/0 say, as in Turns.table."""
    entries = np.zeros(answers.shape[1], np.uint8)
    turns = np.zeros(answers.shape[1], np.uint8)
    for (name, args), truth in zip(circuit.outputs, answers, strict=True):
        if name == "turn":
            entries |= truth * np.uint8(args[0])
            turns += truth
        elif name == "trick_over":
            entries |= truth * np.uint8(TRICK_OVER)
        else:
            entries |= truth * np.uint8(OVER)
    entries[(turns != 1) & (entries & OVER == 0)] = NO_TURN
    return entries


__all__ = ["Rules", "Table", "evaluate", "fluent_rows", "read_rules"]
