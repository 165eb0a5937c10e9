"""The check of a rule folder: everything that play will ask is asked once, and a few matches are dealt.

`validated_rules` is the one entrance to the rules of a folder: `kb check` reports what it raises, and every engine and
knowledge base is made of what it returns. So no command and no library call answers by rules that `kb check` refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from abl_cards.asp import Diagnostic, KBError, make_error, make_kb_error
from abl_cards.core import GameError, pause_gc, scale_to_range_array, splitmix64_array
from abl_cards.games.compiled import CompiledGame, compile_game
from abl_cards.games.description import (
    Folder,
    OpenRules,
    add_location,
    is_known_valid,
    load_auxiliary_rules,
    store_valid,
)
from abl_cards.games.guard import guard_rule_errors
from abl_cards.games.importers import find_importer
from abl_cards.games.min_plays import plays_left_errors, plays_left_warnings
from abl_cards.games.notation import canonical_notation
from abl_cards.games.tables import (
    EventRules,
    Tables,
    build_feature_table,
    check_beliefs,
    check_countable,
    check_initial_fluents,
)

NUM_TRIAL_DEALS, MAX_CHOICES = 8, 200
"""Tables that are dealt to, and choices that a seat may be asked for before play begins."""


def validated_rules(folder: Folder, profile: str | None = None, cache: bool = True) -> CompiledGame:
    """Compile the rules of a folder, and check them unless the disk cache holds that they passed.

    Args:
        folder: the rule files.
        profile: a file of the folder profiles; None for the default one.
        cache: whether the disk cache is read and written.

    Raises:
        KBError: all errors of `kb check`, with their places.
    """
    rules = compile_rules(folder, profile, cache)
    if not (cache and is_known_valid(rules.kb, folder)):
        with guard_rule_errors(folder, profile):
            if wrong := list(find_errors(rules)):
                raise KBError(wrong)
            for _ in load_auxiliary_rules(folder, profile, cache):
                pass  # reading is the check
        store_valid(rules.kb, folder, is_warning_free=not any(find_warnings(rules)))
    return rules


def check_open_rules(rules: OpenRules) -> None:
    """Raise KBError where `kb check` refuses a game for more than rules that only clingo can answer.

    A game that lacks something without those rules is no game: then an error at a line is still one.
    """
    if not rules.folder.is_game:
        return
    with guard_rule_errors(rules.folder, rules.profile):
        closed = rules.to_compilable()
    try:
        validated_rules(closed, rules.profile)
    except KBError as problem:
        wrong = [each for each in problem.diagnostics if each.location is not None or not closed.excluded_files]
        if wrong:
            raise KBError(wrong) from None


@pause_gc()
def compile_rules(folder: Folder, profile: str | None = None, cache: bool = True) -> CompiledGame:
    """Compile the rules of a folder without the full check, to compare what `kb check` refuses; raises KBError."""
    with guard_rule_errors(folder, profile):
        rules = compile_game(folder, profile, cache)
        checks = check_countable, check_deal, check_initial_fluents, check_beliefs
        found = [each for ask in checks for each in _diagnostics_of(lambda ask=ask: ask(rules))]  # type: ignore[misc]
        if found:
            raise KBError([add_location(each, folder.program(profile), folder) for each in found])
    return rules


def find_errors(rules: CompiledGame) -> Iterator[Diagnostic]:
    """All that is wrong, at the first rule of a predicate that it speaks of."""
    program = rules.folder.program(rules.profile)
    for problem in _find_errors(rules):
        yield add_location(problem, program, rules.folder)


def find_warnings(rules: CompiledGame) -> Iterator[Diagnostic]:
    """What `kb check` reports of sound rules: plays that are counted by an upper bound."""
    program = rules.folder.program(rules.profile)
    for problem in plays_left_warnings(rules):
        yield add_location(problem, program, rules.folder)


def _find_errors(rules: CompiledGame) -> Iterator[Diagnostic]:
    yield from plays_left_errors(rules)
    checks = _check_views, check_deal, _check_event_rules
    found = [each for check in checks for each in _diagnostics_of(partial(check, rules))]
    yield from found
    if not found:
        yield from _diagnostics_of(lambda: _check_play_begins(rules))


def _diagnostics_of(check: Callable[[], object]) -> Iterator[Diagnostic]:
    """What an error says."""
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
    """Raise KBError where more is dealt than there is, or nothing."""
    dealt, cards = sum(rules.seating.num_dealt), len(rules.pack.deck)
    if dealt > cards:
        raise make_kb_error(f"deals/2: {dealt} cards in all, and the pack has {cards}", "deal fewer, or say packs(2).")
    if not dealt:
        raise make_kb_error("nobody is dealt a card: no deals/2", "write deals(S,13) :- seat(S).")


def _check_play_begins(rules: CompiledGame) -> None:
    """Deal, and choose anything until play begins; raises KBError where it does not."""
    tables = Tables.begin(rules, splitmix64_array(np.arange(NUM_TRIAL_DEALS).astype(np.uint64), 1))
    for _ in range(MAX_CHOICES):
        which = tables.rows_to_choose()
        if not which.size:
            return
        options = tables.choices(which).options
        lots = scale_to_range_array(splitmix64_array(tables.keys[which], tables.num_decisions[which]), 1 << 16).astype(
            np.int64
        )
        nth = lots % np.maximum(1, options.sum(axis=1))
        chosen = (np.cumsum(options, axis=1) > nth[:, None]).argmax(axis=1)
        tables.choose(which, chosen.astype(np.uint8))
    stage = rules.schema.stages[int(tables.state.choice[tables.rows_to_choose()[0]])]
    raise make_kb_error(
        f"asks/2: the stage {stage} is never left: after {MAX_CHOICES} choices a seat is still asked",
        "ask only while something is missing, and remember what was chosen: next(…) :- event(choice), chosen(…)",
    )
