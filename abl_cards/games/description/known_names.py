"""Names that facts of a game may use, by sort: seats, cards, ranks, labels, forms, fluents, stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import clingo

from abl_cards import PLATFORM_PACKAGES
from abl_cards.asp import KBError, ProgramSummary, Signature, Term, split_term
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.description.fluents import COUNTER, Fluents, read_fluent_types, read_fluents
from abl_cards.games.description.folder import Folder, find_fluent_declarations
from abl_cards.games.description.pack import parse_rank_and_suit

WORDED_SORTS = ("rank", "suit", "card", "seat", "team", "who", "fluent", "stage", "option", "role", "points")
"""Sorts of arguments that explanations write in words."""
CHECKED_SORTS = ("label", "form", "kind", "place", "cell")
"""Further sorts that ``sort/4`` may give to an argument, to have it checked."""
OBSERVATION_PARTS = {
    **dict.fromkeys(
        (
            "seat", "hand", "wild", "unseen", "gone", "played", "to_beat", "owner", "passed", "has_passed", "out",
            "face", "fluents", "trick", "leader", "groups", "kicker_size",
        ),
        "",
    ),
    **dict.fromkeys(("sizes", "recent", "recent_seat"), "number"),
    **dict.fromkeys(("fluent", "after", "counted", "tally"), "fluent"),
}  # fmt: skip
"""Sort of the argument of each part of an observation: none, an optional number, or a fluent."""
_NAMING_PREDICATES = {"word", "letter", "sort", "says", "title", "preference", "hint", "sees"}
"""Predicates that only name terms which others derive."""

TermShape = tuple[str, int]
"""Functor and number of arguments of a term."""


@dataclass(frozen=True)
class KnownNames:
    """Names of a game in one profile."""

    kb: KnowledgeBase
    program: ProgramSummary
    folder: Folder
    fluents: Fluents

    @property
    def other_profiles(self) -> Iterator[KnownNames]:
        """Names in each profile of the folder that can be read; each is slow the first time, so this comes last."""
        for profile in self.folder.profiles:
            if profile not in self._names_by_profile:
                self._names_by_profile[profile] = None
                with suppress(KBError):
                    self._names_by_profile[profile] = read_known_names(self.folder, profile)
            names = self._names_by_profile[profile]
            if names is not None:
                yield names

    @cached_property
    def _names_by_profile(self) -> dict[str, KnownNames | None]:
        """Names in the profiles that were read; None for one that cannot be read."""
        return {}

    def _argument_values(self, name: str, arity: int, index: int = 0) -> set[Term]:
        """Return the values of one argument of a fact."""
        return {arguments[index] for arguments in self.kb.instances(name, arity)}

    def argument_tuples(self, signature: Signature, arguments: tuple[int, ...]) -> set[tuple[Term, ...]]:
        """Return the tuples of values of some arguments of a fact.

        Args:
            signature: Name and number of arguments.
            arguments: Indices of the arguments, from 0.
        """
        key = signature, arguments
        if key not in self._tuple_cache:
            self._tuple_cache[key] = {
                tuple(instance[index] for index in arguments) for instance in self.kb.instances(*signature)
            }
        return self._tuple_cache[key]

    @cached_property
    def _tuple_cache(self) -> dict[tuple[Signature, tuple[int, ...]], set[tuple[Term, ...]]]:
        return {}

    @cached_property
    def form_sizes(self) -> Counter[Term]:
        """Number of cards in the groups of each form, by ``needs/4``; kickers are not counted."""
        sizes = Counter[Term]()
        for form, _, _, count in self.kb.instances("needs", 4):
            sizes[form] += count if isinstance(count, int) else 0
        return sizes

    @cached_property
    def seats(self) -> set[Term]:
        """Seats, by ``seat/1``."""
        return self._argument_values("seat", 1)

    @cached_property
    def teams(self) -> set[Term]:
        """Indices of teams: there are at most as many teams as seats."""
        return set(range(len(self.seats)))

    @cached_property
    def relative_seats(self) -> set[Term]:
        """Names of the other seats: those of ``who/2``, or else their distances."""
        distances = range(1, len(self.seats))
        return self._argument_values("who", 2) | (set(distances) - self._argument_values("who", 2, 1))

    @cached_property
    def cards(self) -> set[Term]:
        """Kinds of cards, by ``pack/2``."""
        return self._argument_values("pack", 2)

    @cached_property
    def deck_size(self) -> int:
        """Number of cards in all packs."""
        copies = (count for _, count in self.kb.facts("pack", 2) if isinstance(count, int))
        packs = [count for (count,) in self.kb.facts("packs", 1) if isinstance(count, int)]
        return sum(copies) * max([1, *packs])

    @cached_property
    def ranks(self) -> set[Term]:
        """Ranks of cards, a card without a suit being its own rank, and those of ``rank/1``."""
        return {(parse_rank_and_suit(card) or (card,))[0] for card in self.cards} | self._argument_values("rank", 1)

    @cached_property
    def suits(self) -> set[Term]:
        """Suits of cards, and those of ``suit/1``."""
        return {parts[1] for card in self.cards if (parts := parse_rank_and_suit(card))} | self._argument_values(
            "suit", 1
        )

    @cached_property
    def cells(self) -> set[Term]:
        """Cells that cards act as in any context, and vacant ones."""
        vacant = self._argument_values("vacant", 1)
        has_rules = Signature("acts_as", 2) in self.kb.request.outputs
        return vacant | (self._argument_values("acts_as", 2, 1) if has_rules else self.default_cells)

    @cached_property
    def default_cells(self) -> set[Term]:
        """Default cells of cards without ``acts_as/2``: the card itself, and its rank."""
        return self.cards | {(parse_rank_and_suit(card) or (card,))[0] for card in self.cards}

    @cached_property
    def labels(self) -> set[Term]:
        """Labels, by ``label/2``, else by ``label/1``."""
        return self._argument_values("label", 2, 1) or self._argument_values("label", 1)

    @cached_property
    def forms(self) -> set[Term]:
        """Forms, by ``form/2``."""
        return self._argument_values("form", 2, 1)

    @cached_property
    def kinds(self) -> set[Term]:
        """Kinds of play of the forms."""
        return {kind for form, kind in self.kb.instances("kind", 2) if form in self.forms}

    @cached_property
    def stages(self) -> set[Term]:
        """Stages of choices, by ``asks/2``; also those that are only used in other profiles."""
        asks = Signature("asks", 2)
        written = {use.pattern[0] for use in self.program.heads if use.signature == asks}
        return self._argument_values("asks", 2) | {stage for stage in written if stage is not None}

    @cached_property
    def options(self) -> set[Term]:
        """Options of choices, by ``option/1``."""
        return self._argument_values("option", 1)

    @cached_property
    def roles(self) -> set[Term]:
        """Roles of seats, by ``role/2``."""
        return self._argument_values("role", 2, 1)

    @cached_property
    def reasons(self) -> set[Term]:
        """Functors of the reasons of points, the third argument of ``points/3``."""
        return {compute_shape(reason)[0] for reason in self._argument_values("points", 3, 2) if isinstance(reason, str)}

    @cached_property
    def label_shapes(self) -> set[TermShape]:
        """Functor and arity of labels, stages and options; facts may name labels that are left out."""
        return {compute_shape(term) for term in self.labels | self.stages | self.options}

    @cached_property
    def form_shapes(self) -> set[TermShape]:
        """Functor and arity of forms."""
        return set(map(compute_shape, self.forms))

    @cached_property
    def fluent_names(self) -> set[Term]:
        """Names of the fluents."""
        return {signature.name for signature in self.fluents.signatures}

    @cached_property
    def preferences(self) -> set[Term]:
        """Names of preferences and hints, which have sentences."""
        return self._argument_values("preference", 2) | self._argument_values("hint", 2)

    @cached_property
    def lots(self) -> set[Term]:
        """Names of random numbers that an ``#external`` of ``lot/2`` declares."""
        return {atom.args[0] for atom in self.kb.input_atoms if atom.name == "lot" and len(atom.args) == 2}

    @cached_property
    def sorts(self) -> set[Term]:
        """Sorts of the vocabulary, and those of ``word/4``."""
        return {*WORDED_SORTS, *CHECKED_SORTS} | self._argument_values("word", 4)

    @cached_property
    def worded_sorts(self) -> set[Term]:
        """Sorts whose terms may have words."""
        return set(WORDED_SORTS) | self._argument_values("sort", 4, 3)

    @cached_property
    def card_terms(self) -> set[Term]:
        """Cards, ranks, suits and cells: terms that may have a ``letter/2``."""
        return self.cards | self.ranks | self.suits | self.cells

    @cached_property
    def card_arguments(self) -> set[Term]:
        """Further terms that may have a ``letter/2``: arguments of labels and options, keys and values of fluents."""
        terms: set[Term] = set()
        for term in self.labels | self.options:
            terms |= {term, *split_term(term).args}
        for fluent in self.fluents.fluents:
            keys = {term for key in fluent.keys for term in key}
            terms |= keys | (set() if fluent.value_type == COUNTER else set(fluent.values))
        return terms

    @cached_property
    def atom_arguments(self) -> set[Term]:
        """Arguments of all atoms, and the names of fluents."""
        atoms = (atom for atom in self.kb.ground.atoms if atom.name not in _NAMING_PREDICATES)
        return {term for atom in atoms for term in atom.args} | self.fluent_names

    @cached_property
    def nested_terms(self) -> set[Term]:
        """Terms and functors inside of the arguments of atoms; slow, so this is checked last."""
        nested: set[Term] = set()
        for term in self.atom_arguments:
            if isinstance(term, str) and "(" in term:
                nested.update(_iter_subterms(clingo.parse_term(term)))
        return nested

    @cached_property
    def predicates(self) -> set[TermShape]:
        """Name and arity of the predicates of the text."""
        uses = (*self.program.heads, *self.program.bodies, *self.program.externals)
        return {(use.signature.name, use.signature.arity) for use in uses}

    @cached_property
    def functors(self) -> set[TermShape]:
        """Functor and arity of the terms of the ground program; slow, so this is checked last."""
        compound = (term for term in self.atom_arguments | self.nested_terms if isinstance(term, str))
        return {compute_shape(term) for term in compound if not term.startswith('"')}

    @cached_property
    def platforms(self) -> Collection[Term]:
        """Names of the platforms that are supported."""
        return list(PLATFORM_PACKAGES)


def read_known_names(folder: Folder, profile: str | None) -> KnownNames:
    """Read the names of a game.

    Args:
        folder: Folder of the game.
        profile: Profile of the rules; None for the default profile.

    Raises:
        KBError: The rules are not valid.
    """
    return _read_known_names(folder.path, folder.excluded_files, profile, folder.fingerprint(profile))


@lru_cache(maxsize=16)  # each profile of a folder may read all the others
def _read_known_names(
    path: Path, excluded_files: frozenset[str], profile: str | None, fingerprint: object
) -> KnownNames:
    from abl_cards.games.description.loading import load_game_knowledge

    folder = Folder(path, excluded_files)
    program = folder.program(profile)
    kb = load_game_knowledge(folder, profile)
    return KnownNames(kb, program, folder, read_fluents(kb, read_fluent_types(find_fluent_declarations(program))))


def compute_shape(term: Term) -> TermShape:
    """Return functor and number of arguments of a term.

    >>> compute_shape("straight_flush(5,h)"), compute_shape("bid((1,2))"), compute_shape("pass")
    (('straight_flush', 2), ('bid', 1), ('pass', 0))
    """
    text = str(term)
    if "(" not in text:
        return text, 0
    if '"' in text:
        name, arguments = split_term(term)
        return name, len(arguments)
    depth = commas = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        commas += character == "," and depth == 1
    return text.partition("(")[0], commas + 1


def _iter_subterms(symbol: clingo.Symbol) -> Iterator[Term]:
    if symbol.type == clingo.SymbolType.Function and symbol.arguments:
        yield symbol.name
        for part in symbol.arguments:
            yield part.number if part.type == clingo.SymbolType.Number else str(part)
            yield from _iter_subterms(part)
