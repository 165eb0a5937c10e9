"""Choose the counter for the forms of a game, and count the plays that remain after moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Diagnostic, Location, Signature, make_error, make_warning
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import find_read_location
from abl_cards.games.min_plays.any_forms import AnyFormCounter
from abl_cards.games.min_plays.card_count import CardCount
from abl_cards.games.min_plays.chain_counter import ChainCounter, SetCounter
from abl_cards.games.min_plays.form_shapes import FormShapes, UncountableError, read_shapes
from abl_cards.games.min_plays.leads import LeadFinder
from abl_cards.games.min_plays.named_counter import NamedCardsCounter, combine_named_forms, find_named_forms
from abl_cards.games.min_plays.pareto_counter import ParetoCounter
from abl_cards.games.min_plays.plays_counter import MinPlaysCounter
from abl_cards.games.moves import rank_of_cards
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import NO_CARD, MoveLists, check_integers

_EXACT_COUNTERS = SetCounter, ParetoCounter


@cache_per_game
def find_counter(rules: CompiledGame) -> MinPlaysCounter:
    """Return the counter of a game; games with composed plays have one that counts cards.

    Args:
        rules: Compiled game.
    """
    if rules.has_composed_plays:
        return CardCount("plays are composed card by card")
    reasons: list[str] = []
    for counter_class in _EXACT_COUNTERS:
        if counter := _try_counter(counter_class, rules, reasons):
            return counter
    any_forms = AnyFormCounter.from_rules(rules)
    if not any_forms.bound_text:
        return any_forms
    return _try_counter(ChainCounter, rules, reasons) or AnyFormCounter.from_rules(
        rules, "; ".join(dict.fromkeys(reasons))
    )


def _try_counter(
    counter_class: type[SetCounter] | type[ParetoCounter] | type[ChainCounter], rules: CompiledGame, reasons: list[str]
) -> MinPlaysCounter | None:
    """Make a counter if it supports the forms of a game, or all but those of named cards; else add the reason."""
    try:
        counter = _count_named_cards(rules, counter_class.from_shapes)
        LeadFinder(rules).check_leadable()
    except UncountableError as error:
        reasons.append(str(error))
        return None
    return counter


def _count_named_cards(rules: CompiledGame, make_counter: Callable[[FormShapes], MinPlaysCounter]) -> MinPlaysCounter:
    """Make a counter of all forms, or else one of those that are not of named cards, and count these beside them."""
    try:
        return make_counter(read_shapes(rules))
    except UncountableError:
        named = find_named_forms(rules)
        combinations = combine_named_forms(rules, list(named.values()))
        if not combinations:
            raise
    cards = np.stack([np.frombuffer(union, np.uint8) for union in combinations])
    others = make_counter(read_shapes(rules, named))
    return NamedCardsCounter(others, cards, np.array(list(combinations.values()), np.uint8))


def plays_left_errors(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Find preferences that read ``plays_left/1`` in a game whose plays cannot be counted.

    Args:
        rules: Compiled game.

    Yields:
        An error at the first such rule.
    """
    if reads_plays_left(rules.kb):
        counter = find_counter(rules)
        if isinstance(counter, CardCount):
            yield make_error(
                _first_reader(rules),
                f"plays_left/1 is never known: {counter.reason}",
                "leave it out of the preferences",
                ErrorCode.UNSUPPLIED_INPUT,
            )


def plays_left_warnings(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Find preferences that read ``plays_left/1`` in a game where large hands only have an upper bound of it.

    Args:
        rules: Compiled game.

    Yields:
        A warning at the first such rule.
    """
    if reads_plays_left(rules.kb):
        counter = find_counter(rules)
        if isinstance(counter, AnyFormCounter) and counter.bound_text:
            yield make_warning(
                _first_reader(rules),
                f"plays_left/1 is an upper bound (at most N more plays) in {counter.bound_text}: {counter.reason}",
                'smaller hands are counted exactly; "explain" says "at most" where it is a bound',
                ErrorCode.INEXACT_COUNT,
            )


def reads_plays_left(kb: KnowledgeBase) -> bool:
    """Return True if the preferences of a knowledge base read ``plays_left/1``.

    Args:
        kb: Knowledge base with preferences.
    """
    return "plays_left" in {name for name, _ in kb.circuit("cost/2", "violated/1").inputs}


def _first_reader(rules: CompiledGame) -> Location | None:
    """Find the first rule of preferences that reads ``plays_left/1``."""
    return find_read_location(rules.folder.program(rules.profile), Signature("plays_left", 1), [Signature("cost", 2)])


def plays_left(rules: CompiledGame, decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """Count the plays that empty the hand after each move; results are cached in the view.

    Args:
        rules: Compiled game.
        decisions: Decisions or choices.
        lists: Moves of the decisions.

    Returns:
        uint8 [moves]; an upper bound where ``is_upper_bound`` is True.

    Raises:
        GameError: The lists do not belong to the decisions.
    """
    decisions.check_moves(lists)
    counter, view = find_counter(rules), decisions.view
    for cached_counter, cached_lists, cached_plays in view.plays_left_cache:
        if cached_lists is lists and cached_counter is counter:
            return cached_plays
    plays = counter.min_plays_after(view.hand, view.context, lists.start, _cards_leaving(decisions, lists))
    view.plays_left_cache.append((counter, lists, plays))
    return plays


def is_upper_bound(rules: CompiledGame, decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.bool_]:
    """Return for which moves ``plays_left`` is only an upper bound.

    Args:
        rules: Compiled game.
        decisions: Decisions or choices.
        lists: Moves of the decisions.

    Returns:
        bool [moves].
    """
    counter, view = find_counter(rules), decisions.view
    if not isinstance(counter, AnyFormCounter):
        return np.zeros(len(lists.cards), np.bool_)
    return counter.min_plays_and_bounds(view.hand, view.context, lists.start, _cards_leaving(decisions, lists))[1]


def _cards_leaving(decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """Return the cards [moves, max_cards] that leave the hand by each move."""
    return decisions.cards_given_away(lists) if isinstance(decisions, Choices) else lists.cards


def min_plays(rules: CompiledGame, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Count the plays that empty each hand.

    Args:
        rules: Compiled game.
        context: [n], index of the context of each hand.
        hands: uint8 [n, kinds], copies of each card.

    Returns:
        uint8 [n], the minimum number or an upper bound of it.

    Raises:
        GameError: A context does not exist, an array has a wrong shape, or a hand has more cards of a rank than the
            pack.
    """
    size, by_rank = np.shape(hands)[:1], _rank_matrix(rules)
    checked = check_integers("hands", hands, (*size, len(by_rank)), NO_CARD + 1).astype(np.uint8, copy=False)
    if (checked @ by_rank > rules.pack.copies @ by_rank).any():  # kinds of a rank stand for each other
        raise GameError("hands: more cards of a rank than the pack has", ErrorCode.INVALID_VALUE)
    return find_counter(rules).min_plays(checked, check_integers("context", context, size, len(rules.label_ranking)))


@cache_per_game
def _rank_matrix(rules: CompiledGame) -> NDArray[np.float32]:
    """Return which card has which rank, float32 [kinds, ranks], 0 or 1."""
    ranks = rank_of_cards(rules.move_tables, len(rules.pack.copies))
    return (ranks[:, None] == np.unique(ranks)).astype(np.float32)
