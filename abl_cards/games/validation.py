"""Check a rule folder: evaluate every query of play once, and deal a few matches.

`validated_rules` is the only way to the rules of a folder. ``kb check`` reports the errors that it raises, and every
engine and knowledge base is made of the rules that it returns. So no command uses rules that ``kb check`` refuses, with
one exception: rules that only stop its random play (`require_playable`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial

from abl_cards.asp import Diagnostic, KBError, make_error, make_kb_error
from abl_cards.core import ErrorCode, GameError, pause_gc
from abl_cards.games.compiled import CompiledGame, compile_game
from abl_cards.games.counted_points import find_added_counts
from abl_cards.games.dead_code import find_dead_rules, find_never_legal_labels, find_unset_fluents
from abl_cards.games.description import (
    Folder,
    OpenRules,
    add_location,
    find_ineffective_statements,
    is_known_valid,
    load_auxiliary_rules,
    store_valid,
)
from abl_cards.games.guard import guard_rule_errors
from abl_cards.games.importers import find_importer
from abl_cards.games.match_end import find_endless_match, find_undecided_match
from abl_cards.games.min_plays import plays_left_errors, plays_left_warnings
from abl_cards.games.notation import canonical_notation
from abl_cards.games.random_episodes import play_random_episodes
from abl_cards.games.tables import (
    EventRules,
    build_feature_table,
    check_beliefs,
    check_countable,
    check_initial_fluents,
)
from abl_cards.games.unreachable_choices import find_unreachable_choices


def validated_rules(folder: Folder, profile: str | None = None, cache: bool = True) -> CompiledGame:
    """Compile the rules of a folder, and check them unless the disk cache holds that they passed.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.
        cache: Whether to read and write the disk cache.

    Returns:
        The compiled rules, which passed the check.

    Raises:
        KBError: The rules have errors, with their places, as ``abl-cards kb check`` reports them.
    """
    state = folder.path.resolve(), folder.fingerprint(profile)
    rules = _compile_last(folder, profile, state) if cache else compile_rules(folder, profile, cache)
    if not (cache and is_known_valid(rules.kb, folder)):
        with guard_rule_errors(folder, profile):
            if errors := list(find_errors(rules)):
                raise KBError(errors)
            for _ in load_auxiliary_rules(folder, profile, cache):
                pass  # loading raises the errors
        store_valid(rules.kb, folder, is_warning_free=False)
    return rules


@lru_cache(maxsize=1)
def _compile_last(folder: Folder, profile: str | None, state: object) -> CompiledGame:
    """Return the rules that were compiled last: ``kb check`` asks for their errors, and again for their warnings."""
    return compile_rules(replace(folder), profile)  # a folder caches the files that it has read


def check_open_rules(rules: OpenRules) -> None:
    """Check the rules of a game that have a circuit, where clingo alone can evaluate the others.

    Errors without a place are ignored where files were left out, since the left-out rules may be what is missing.

    Args:
        rules: Rules of which some have no circuit.

    Raises:
        KBError: The other rules have errors.
    """
    if not rules.folder.is_game:
        return
    with guard_rule_errors(rules.folder, rules.profile):
        closed = rules.to_compilable()
    try:
        validated_rules(closed, rules.profile)
    except KBError as problem:
        errors = [item for item in problem.diagnostics if item.location is not None or not closed.excluded_files]
        if errors:
            raise KBError(errors) from None


@pause_gc()
def compile_rules(folder: Folder, profile: str | None = None, cache: bool = True) -> CompiledGame:
    """Compile the rules of a folder without the full check, to compare rules that ``kb check`` refuses.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.
        cache: Whether to read and write the disk cache.

    Raises:
        KBError: The rules do not compile.
    """
    with guard_rule_errors(folder, profile):
        rules = compile_game(folder, profile, cache)
        checks = check_countable, check_deal, check_initial_fluents, check_beliefs
        errors = [error for check in checks for error in _diagnostics_of(partial(check, rules))]
        if errors:
            raise KBError([add_location(error, folder.program(profile), folder) for error in errors])
    return rules


def find_errors(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Yield the errors of compiled rules, each at the first rule of a predicate that it names.

    Args:
        rules: The compiled rules.
    """
    program = rules.folder.program(rules.profile)
    for problem in _find_errors(rules):
        yield add_location(problem, program, rules.folder)


def require_playable(rules: CompiledGame) -> None:
    """Check rules by a few episodes of random play; slower than the other checks, so only ``kb check`` calls it.

    Args:
        rules: The compiled rules.

    Raises:
        KBError: Play stops; the error has the location of the rule whose query failed.
    """
    with guard_rule_errors(rules.folder, rules.profile):
        program = rules.folder.program(rules.profile)
        errors = [
            add_location(item, program, rules.folder) for item in _diagnostics_of(lambda: play_random_episodes(rules))
        ]
        if errors:
            raise KBError(errors)


def find_warnings(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Yield the warnings about sound rules: what has no effect, upper bounds of plays, a match without end or result.

    Args:
        rules: The compiled rules.
    """
    program = rules.folder.program(rules.profile)
    yield from find_ineffective_statements(rules.folder, rules.profile)
    yield from find_dead_rules(rules.folder, rules.profile)
    yield from find_never_legal_labels(rules.folder, rules.profile)
    yield from find_unset_fluents(rules.folder, rules.profile)
    checks = plays_left_warnings, find_endless_match, find_undecided_match, find_added_counts, find_unreachable_choices
    for problem in (problem for check in checks for problem in check(rules)):
        yield add_location(problem, program, rules.folder)


def _find_errors(rules: CompiledGame) -> Iterator[Diagnostic]:
    yield from plays_left_errors(rules)
    checks = _check_views, check_deal, _check_event_rules
    errors = [error for check in checks for error in _diagnostics_of(partial(check, rules))]
    yield from errors
    if not errors:
        yield from _diagnostics_of(lambda: play_random_episodes(rules, num_episodes=0))


def _diagnostics_of(check: Callable[[], object]) -> Iterator[Diagnostic]:
    """Call a check, and yield the errors that it raises."""
    try:
        check()
    except KBError as problem:
        yield from problem.diagnostics
    except GameError as problem:
        yield make_error(None, str(problem), "docs/background/engine.md says when it is asked", problem.code)


def _check_views(rules: CompiledGame) -> None:
    build_feature_table(rules)
    canonical_notation(rules)
    find_importer(rules.folder)
    _ = rules.card_codes, rules.card_points, rules.max_play_cards


def _check_event_rules(rules: CompiledGame) -> None:
    EventRules.from_rules(rules)
    if rules.schema.stages:
        _ = rules.option_query


def check_deal(rules: CompiledGame) -> None:
    """Check the number of cards that are dealt.

    Args:
        rules: The compiled rules.

    Raises:
        KBError: More cards are dealt than the pack has, or none.
    """
    dealt, cards = sum(rules.seating.num_dealt), len(rules.pack.deck)
    if rules.deal_query is not None and rules.has_draws:
        raise make_kb_error(
            "deals/2 depends on inputs, and cards are drawn (draws/1)",
            "deal every seat the same in all deals, and let draws/1 decide who draws more",
            ErrorCode.RULES_NOT_PLAYABLE,
        )
    if rules.has_pile and not rules.derives_draws and dealt < cards:
        raise make_kb_error(
            "draw_pile/0: no rule derives draws/1", "say who draws: draws(S) :- …", ErrorCode.RULES_NOT_PLAYABLE
        )
    if rules.kb.facts("hand_limit", 1) and not rules.has_pile:
        raise make_kb_error(
            "hand_limit/1: hands do not grow without draw_pile/0", "leave it out", ErrorCode.RULES_NOT_PLAYABLE
        )
    if dealt > cards:
        message = f"deals/2: {dealt} cards in all, and the pack has {cards}"
        raise make_kb_error(message, "deal fewer, or say packs(2).", ErrorCode.RULES_NOT_PLAYABLE)
    if not dealt:
        remedy = "write deals(S,13) :- seat(S)."
        raise make_kb_error("nobody is dealt a card: no deals/2", remedy, ErrorCode.RULES_NOT_PLAYABLE)
