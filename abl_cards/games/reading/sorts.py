"""What an argument of a fact or output may be: a seat, a card, a label, a text, a number of a range."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from abl_cards.games.reading.fluents import counted, no_such
from abl_cards.games.reading.known import LANGUAGES, PARTS, Known, shape_of
from abl_cards.games.reading.pack import WILD
from abl_cards.logic import Signature, Term
from abl_cards.logic.errors import suggestion
from abl_cards.logic.terms import parse_name

LARGEST = 1_000_000
"""Of points and counts, up or down: a match adds up many of them."""


def _nothing(known: Known) -> Collection[Term]:
    return ()


def _never(known: Known, term: Term) -> bool:
    return False


@dataclass(frozen=True)
class Sort:
    """The terms that an argument may be."""

    name: str  # what it is, in a word
    remedy: str
    names: Callable[[Known], Collection[Term]] = _nothing  # all that it may be, where they can be listed
    accepts: Callable[[Known, Term], bool] = _never  # other terms that it may be
    what: str = ""  # a wrong one is, where that is not "no" and the name
    explain: Callable[[Known, Term], tuple[str, str]] | None = None  # what is wrong with a term, and what to do
    waits: bool = False  # rules may derive it of a label that is left out, as long as there is another of its functor

    @property
    def wrong(self) -> str:
        """What a term is that is not of the sort."""
        return self.what or f"no {self.name}"


def number(low: int, high: int | Callable[[Known], int], what: str = "no number of this range") -> Sort:
    """The numbers from one to another."""

    def most(known: Known) -> int:
        return high if isinstance(high, int) else high(known)

    def accepts(known: Known, term: Term) -> bool:
        return isinstance(term, int) and low <= term <= most(known)

    upper = str(high) if isinstance(high, int) else "on"
    limits = f"from {low} to {upper}" if isinstance(high, int) else f"from {low} on, as far as there are so many"
    return Sort("number", f"write one {limits}", accepts=accepts, what=what)


def _is_text(known: Known, term: Term) -> bool:
    return isinstance(term, str) and term.startswith('"') and term != '""'


def _is_spelling(known: Known, term: Term) -> bool:
    return isinstance(term, int) or _is_text(known, term) or not set(term) & set('"(')


def _is_fluent(known: Known, term: Term) -> bool:
    name, arguments = parse_name(term)
    signature = Signature(name, len(arguments))
    return signature in known.fluents and known.fluents[signature].place(arguments) is not None


def _is_counted(known: Known, term: Term) -> bool:
    return _is_name(term) and _is_fluent(known, counted(term))


def _is_name(term: Term) -> bool:
    return isinstance(term, str) and term[0].islower()


def _no_fluent(known: Known, term: Term) -> tuple[str, str]:
    if not _is_name(term):
        return f"{term} is no fluent", "write one with its arguments: level(2)"
    name, arguments = parse_name(term)
    problem, remedy = no_such(known.fluents, name, arguments)
    meant = "" if name in known.fluent_names else suggestion(name, map(str, known.fluent_names))
    return problem, meant or remedy


def _is_option(known: Known, term: Term) -> bool:
    return shape_of(term) != ("card", 2)


def _is_arity(known: Known, term: Term) -> bool:
    return term in {signature.arity for signature in known.fluents.signatures}


def _is_functor(known: Known, term: Term) -> bool:
    return any(term == name for name, _ in known.form_shapes) or any(term == name for name, _ in known.functors)


def _is_argument(known: Known, term: Term) -> bool:
    return term in known.lettered_arguments


def _is_heard(known: Known, term: Term) -> bool:
    return term in known.lettered or term in known.spoken or term in known.inner


SEAT = Sort("seat", "bind it by seat/1, and give seat(S) to each", lambda known: known.seats)
CARD = Sort("card", "bind it by pack/2", lambda known: known.cards)
RANK = Sort("rank", "write the rank of a card of pack/2", lambda known: known.ranks)
SUIT = Sort("suit", "write the suit of a card of pack/2", lambda known: known.suits)
CELL = Sort(
    "cell", "write a rank, a card, or what acts_as/2 says", lambda known: known.cells,
    what="no cell: no card acts as it",
)  # fmt: skip
CELL_OR_WILD = Sort(
    "cell", "write a rank, a card, wild, or what acts_as/2 says", lambda known: {*known.cells, WILD},
    what="no cell: no card acts as it",
)  # fmt: skip
"""Rules speak of wild cards also where a profile or a variant has none."""
LABEL = Sort("label", "bind it by label/1", lambda known: known.labels)
NAMED = Sort(
    "label", "bind it by label/1, or name a stage of asks/2 or an option/1",
    lambda known: known.labels | known.stages | known.options, waits=True,
)  # fmt: skip
"""A name waits for its label: rules that forbid sets of four need not forbid their name."""
FORM = Sort("form", "bind it by form/2", lambda known: known.forms)
KIND = Sort("kind", "kind/2 says which there are", lambda known: known.kinds, what="no kind: no form is of it")
TEAM = Sort("team", "number teams and sides from 0", lambda known: known.teams)
STAGE = Sort("stage", "name a stage of asks/2", lambda known: known.stages)
OPTION = Sort(
    "option", "write a card of pack/2, or another term: bid(2)", lambda known: known.cards, _is_option, "no card"
)
WHO = Sort("name of a seat", "name one of who/2", lambda known: known.who)
FLUENT = Sort("fluent", "declare it by one, count or any", lambda known: known.fluent_names)
HOLDS = Sort(
    "fluent with its arguments", "declare it by one, count or any, and its arguments by #external", accepts=_is_fluent,
    explain=_no_fluent,
)  # fmt: skip
COUNTED = Sort(
    "count without its number", "leave its last argument out: adds(failures(T),1,lost)", accepts=_is_counted,
    explain=lambda known, term: _no_fluent(known, counted(term) if _is_name(term) else term),
)  # fmt: skip
ARITY = Sort(
    "number of arguments", "write how many arguments the fluent has", accepts=_is_arity,
    what="no number of arguments of a fluent",
)  # fmt: skip
LOT = Sort("random number", "declare #external lot(Name,I)", lambda known: known.lots, what="read by no input lot/2")
WORDED = Sort(
    "preference or hint", "write preference(Name,Group).", lambda known: known.preferences,
    what="no preference and no hint",
)  # fmt: skip
LANGUAGE = Sort("language", f"there are: {', '.join(LANGUAGES)}", lambda known: LANGUAGES)
TEXT = Sort("text", 'write it in quotes, "…"', accepts=_is_text)
SPELLING = Sort("text", 'write it in quotes, "…"', accepts=_is_spelling)
LETTERED = Sort(
    "rank, suit or card", "write one of pack/2, or an argument of a label", lambda known: known.lettered, _is_argument
)
SPOKEN = Sort("term of these rules", "write a term that some rule derives", accepts=_is_heard)
SORT = Sort("sort", "write one of the vocabulary, or give it words: word(Sort,…)", lambda known: known.sorts)
WORDED_SORT = Sort(
    "sort", "write one of the vocabulary, or give it to an argument: sort(…)", lambda known: known.worded_sorts
)
PREDICATE = Sort(
    "predicate or functor", "write the name of one", lambda known: {name for name, _ in known.predicates},
    _is_functor, "no predicate and no term of these rules",
)  # fmt: skip
PART = Sort("part of an observation", f"there are: {', '.join(PARTS)}", lambda known: PARTS)
PROFILE = Sort("profile", "write the name of a file of profiles/", lambda known: known.folder.profiles)
PLATFORM = Sort("platform", "leave it out: without it our own protocol serves the game", lambda known: known.platforms)
ORDER_OF_SETS = Sort("order of card sets", "write last_descending, or text", lambda known: ("last_descending", "text"))
MATCH = Sort("time that fluents last", "write match: others last an episode", lambda known: ("match",))
NUMBER = number(-LARGEST, LARGEST, "no number that counts")
COPIES = number(1, LARGEST, "no number of copies")
CARDS = number(1, lambda known: known.deck, "no number of cards that there are")
UP_TO_ALL = number(0, lambda known: known.deck, "no number of cards that there are")
PLACE = number(1, lambda known: len(known.seats), "no place of a seat")
DISTANCE = number(1, lambda known: len(known.seats) - 1, "no distance of another seat")
ANY = Sort("term", "", accepts=lambda known, term: True)

BY_NAME: dict[Term, Sort] = {
    "rank": RANK, "suit": SUIT, "card": CARD, "seat": SEAT, "who": WHO, "label": LABEL, "form": FORM, "kind": KIND,
    "place": PLACE, "cell": CELL, "fluent": FLUENT, "stage": STAGE,
}  # fmt: skip
"""The sorts that ``sort/4`` gives to arguments of any predicate."""
