"""Sorts of arguments of facts and outputs: a seat, a card, a label, a text, a number in a range."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from abl_cards.asp import Signature, Term, did_you_mean, split_term
from abl_cards.core import LANGUAGES
from abl_cards.games.description.fluents import COUNTER, add_count_argument, explain_unknown_fluent
from abl_cards.games.description.known_names import OBSERVATION_PARTS, KnownNames, compute_shape
from abl_cards.games.description.pack import WILD

MAX_NUMBER = 1_000_000
"""Maximum absolute value of points and counts, so that sums over a match do not overflow."""


def _no_terms(known: KnownNames) -> Collection[Term]:
    return ()


def _accept_none(known: KnownNames, term: Term) -> bool:
    return False


@dataclass(frozen=True)
class ArgumentSort:
    """Set of terms that an argument may be.

    Attributes:
        name: Name of the sort, for messages.
        remedy: Advice for a wrong argument.
        find_terms: Returns the terms that can be listed.
        is_accepted: Returns True for further terms that are accepted.
        error_override: Predicate of a wrong term in messages, instead of "no" and the name.
        explain: Returns message and remedy for a wrong term.
        allows_left_out: A rule may derive a term that is left out, if there is another one with its functor.
    """

    name: str
    remedy: str
    find_terms: Callable[[KnownNames], Collection[Term]] = _no_terms
    is_accepted: Callable[[KnownNames, Term], bool] = _accept_none
    error_override: str = ""
    explain: Callable[[KnownNames, Term], tuple[str, str]] | None = None
    allows_left_out: bool = False

    @property
    def error_text(self) -> str:
        """Predicate of a wrong term in messages, such as "no card"."""
        return self.error_override or f"no {self.name}"


def integer_range(
    low: int, high: int | Callable[[KnownNames], int], error_override: str = "no number of this range"
) -> ArgumentSort:
    """Make the sort of the integers in a range.

    Args:
        low: Least number.
        high: Greatest number, or a function that returns it.
        error_override: Predicate of a wrong term in messages.
    """

    def maximum(known: KnownNames) -> int:
        return high if isinstance(high, int) else high(known)

    def accepts(known: KnownNames, term: Term) -> bool:
        return isinstance(term, int) and low <= term <= maximum(known)

    upper = str(high) if isinstance(high, int) else "on"
    limits = f"from {low} to {upper}" if isinstance(high, int) else f"from {low} on, as far as there are so many"
    return ArgumentSort("number", f"write one {limits}", is_accepted=accepts, error_override=error_override)


def _is_text(known: KnownNames, term: Term) -> bool:
    return isinstance(term, str) and term.startswith('"') and term != '""'


def _is_spelling(known: KnownNames, term: Term) -> bool:
    if isinstance(term, int):
        return True
    is_one_word = not any(letter.isspace() for letter in term)
    return is_one_word and (_is_text(known, term) or not set(term) & set('"('))


def _is_fluent(known: KnownNames, term: Term) -> bool:
    name, arguments = split_term(term)
    signature = Signature(name, len(arguments))
    return signature in known.fluents and known.fluents[signature].locate(arguments) is not None


def _is_counted(known: KnownNames, term: Term) -> bool:
    if not (_is_name(term) and _is_fluent(known, add_count_argument(term))):
        return False
    return known.fluents[_count_signature(term)].value_type == COUNTER


def _count_signature(term: Term) -> Signature:
    """Return the fluent that a term would be with its number: ``failures/2`` for ``failures(0)``."""
    name, arguments = split_term(term)
    return Signature(name, len(arguments) + 1)


def _is_name(term: Term) -> bool:
    return isinstance(term, str) and term[0].islower()


def _explain_fluent(known: KnownNames, term: Term) -> tuple[str, str]:
    if not _is_name(term):
        return f"{term} is no fluent", "write one with its arguments: level(2)"
    name, arguments = split_term(term)
    problem, remedy = explain_unknown_fluent(known.fluents, name, arguments)
    suggestion = "" if name in known.fluent_names else did_you_mean(name, map(str, known.fluent_names))
    return problem, suggestion or remedy


def _explain_count(known: KnownNames, term: Term) -> tuple[str, str]:
    if not _is_name(term):
        return _explain_fluent(known, term)
    signature = _count_signature(term)
    if signature in known.fluents and known.fluents[signature].value_type != COUNTER:
        return f"{signature} is no count", f"write count({signature.name},{signature.arity})"
    return _explain_fluent(known, add_count_argument(term))


def _is_option(known: KnownNames, term: Term) -> bool:
    return compute_shape(term) != ("card", 2)


def _is_arity(known: KnownNames, term: Term) -> bool:
    return term in {signature.arity for signature in known.fluents.signatures}


def _is_functor(known: KnownNames, term: Term) -> bool:
    return any(term == name for name, _ in known.form_shapes) or any(term == name for name, _ in known.functors)


def _is_argument(known: KnownNames, term: Term) -> bool:
    return term in known.card_arguments


def _is_derived_term(known: KnownNames, term: Term) -> bool:
    return term in known.card_terms or term in known.atom_arguments or term in known.nested_terms


def _explain_cell(known: KnownNames, term: Term) -> tuple[str, str]:
    if term in known.default_cells:
        problem = f"{term} is no cell: where any rule derives acts_as/2, cards act as nothing else"
        return problem, "add acts_as(C,C) :- pack(C,_). acts_as(card(R,S),R) :- pack(card(R,S),_)."
    return f"{term} is no cell: no card acts as it", "write a rank, a card, or what acts_as/2 or vacant/1 says"


SEAT = ArgumentSort("seat", "bind it by seat/1, and give seat(S) to each", lambda known: known.seats)
CARD = ArgumentSort("card", "bind it by pack/2", lambda known: known.cards)
RANK = ArgumentSort("rank", "write the rank of a card of pack/2", lambda known: known.ranks)
SUIT = ArgumentSort("suit", "write the suit of a card of pack/2", lambda known: known.suits)
CELL = ArgumentSort("cell", "", lambda known: known.cells, explain=_explain_cell)
CELL_OR_WILD = ArgumentSort("cell", "", lambda known: {*known.cells, WILD}, explain=_explain_cell)
"""Cell of a card; ``wild`` is accepted even if a profile or a variant has no wild cards."""
LABEL = ArgumentSort("label", "bind it by label/1", lambda known: known.labels)
LABEL_OR_CHOICE = ArgumentSort(
    "label", "bind it by label/1, or name a stage of asks/2 or an option/1",
    lambda known: known.labels | known.stages | known.options, allows_left_out=True,
)  # fmt: skip
"""Label, stage or option; a label that is left out is accepted, so rules that forbid sets of four may name them."""
FORM = ArgumentSort("form", "bind it by form/2", lambda known: known.forms)
KIND = ArgumentSort(
    "kind", "kind/2 says which there are", lambda known: known.kinds, error_override="no kind: no form is of it"
)
TEAM = ArgumentSort("team", "number teams and sides from 0", lambda known: known.teams)
STAGE = ArgumentSort("stage", "name a stage of asks/2", lambda known: known.stages)
OPTION = ArgumentSort(
    "option", "write a card of pack/2, or another term: bid(2)", lambda known: known.cards, _is_option, "no card"
)
RELATIVE_SEAT = ArgumentSort("name of a seat", "name one of who/2", lambda known: known.relative_seats)
FLUENT = ArgumentSort("fluent", "declare it by one, count or any", lambda known: known.fluent_names)
FLUENT_INSTANCE = ArgumentSort(
    "fluent with its arguments", "declare it by one, count or any, and its arguments by #external",
    is_accepted=_is_fluent, explain=_explain_fluent,
)  # fmt: skip
COUNT_INSTANCE = ArgumentSort(
    "count without its number", "leave its last argument out: adds(failures(T),1,lost)", is_accepted=_is_counted,
    explain=_explain_count,
)  # fmt: skip
ARITY = ArgumentSort(
    "number of arguments", "write how many arguments the fluent has", is_accepted=_is_arity,
    error_override="no number of arguments of a fluent",
)  # fmt: skip
LOT = ArgumentSort(
    "random number", "declare #external lot(Name,I)", lambda known: known.lots, error_override="read by no input lot/2"
)
PREFERENCE = ArgumentSort(
    "preference or hint", "write preference(Name,Group).", lambda known: known.preferences,
    error_override="no preference and no hint",
)  # fmt: skip
LANGUAGE = ArgumentSort("language", f"there are: {', '.join(LANGUAGES)}", lambda known: LANGUAGES)
TEXT = ArgumentSort("text", 'write a letter or more in quotes, "…"', is_accepted=_is_text)
SPELLING = ArgumentSort("text", 'write a letter or more in quotes, "…", without spaces', is_accepted=_is_spelling)
"""Text of a card: spaces come between cards."""
CARD_TERM = ArgumentSort(
    "rank, suit or card", "write one of pack/2, or an argument of a label", lambda known: known.card_terms, _is_argument
)
DERIVED_TERM = ArgumentSort("term of these rules", "write a term that some rule derives", is_accepted=_is_derived_term)
SORT_NAME = ArgumentSort(
    "sort", "write one of the vocabulary, or give it words: word(Sort,…)", lambda known: known.sorts
)
WORDED_SORT_NAME = ArgumentSort(
    "sort", "write one of the vocabulary, or give it to an argument: sort(…)", lambda known: known.worded_sorts
)
PREDICATE = ArgumentSort(
    "predicate or functor", "write the name of one", lambda known: {name for name, _ in known.predicates},
    _is_functor, "no predicate and no term of these rules",
)  # fmt: skip
PART = ArgumentSort(
    "part of an observation", f"there are: {', '.join(OBSERVATION_PARTS)}", lambda known: OBSERVATION_PARTS
)
PROFILE = ArgumentSort("profile", "write the name of a file of profiles/", lambda known: known.folder.profiles)
PLATFORM = ArgumentSort(
    "platform", "leave it out: without it our own protocol serves the game", lambda known: known.platforms
)
ORDER_OF_SETS = ArgumentSort(
    "order of card sets", "write last_descending, or text", lambda known: ("last_descending", "text")
)
LIFETIME = ArgumentSort("time that fluents last", "write match: others last an episode", lambda known: ("match",))
NUMBER = integer_range(-MAX_NUMBER, MAX_NUMBER, "no number that counts")
COPIES = integer_range(1, MAX_NUMBER, "no number of copies")
CARD_COUNT = integer_range(1, lambda known: known.deck_size, "no number of cards that there are")
CARD_COUNT_OR_ZERO = integer_range(0, lambda known: known.deck_size, "no number of cards that there are")
SEAT_PLACE = integer_range(1, lambda known: len(known.seats), "no place of a seat")
SEAT_DISTANCE = integer_range(1, lambda known: len(known.seats) - 1, "no distance of another seat")
ANY = ArgumentSort("term", "", is_accepted=lambda known, term: True)

SORTS_BY_NAME: dict[Term, ArgumentSort] = {
    "rank": RANK, "suit": SUIT, "card": CARD, "seat": SEAT, "who": RELATIVE_SEAT, "label": LABEL, "form": FORM,
    "kind": KIND, "place": SEAT_PLACE, "cell": CELL, "fluent": FLUENT, "stage": STAGE,
}  # fmt: skip
"""Sorts that ``sort/4`` may give to arguments of any predicate."""
