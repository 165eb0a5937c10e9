"""The check of a rule folder: everything that play will ask is asked once, and a few matches are dealt.

`sound_rules` is the one entrance to the rules of a folder: `kb check` reports what it raises, and every engine and
knowledge base is made of what it returns. So no command and no library call answers by rules that `kb check` refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from abl_cards import garbage
from abl_cards.errors import GameError
from abl_cards.games.counting import bounded, uncounted
from abl_cards.games.foreign import archive_of
from abl_cards.games.foreseen import foreseen
from abl_cards.games.play.exchanges import check_countable
from abl_cards.games.play.flow import Flow, check_init
from abl_cards.games.play.tables import Tables
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.loading import placed
from abl_cards.games.reading.open_rules import OpenRules
from abl_cards.games.reading.rules import Rules, read_rules
from abl_cards.games.reading.science import read_all
from abl_cards.games.telling.knowledge import check_beliefs
from abl_cards.games.telling.observations import observation_of
from abl_cards.games.verdicts import keep_sound, known_sound
from abl_cards.games.words.written import written
from abl_cards.logic import KBError
from abl_cards.logic.errors import Diagnostic, error, kb_error
from abl_cards.streams import below_all, mix_all

DEALS, MOST_CHOICES = 8, 200
"""Tables that are dealt to, and choices that a seat may be asked for before play begins."""


def sound_rules(folder: Folder, profile: str | None = None, cache: bool = True) -> Rules:
    """Compile the rules of a folder, and check them unless the disk cache holds that they passed.

    Args:
        folder: the rule files.
        profile: a file of the folder profiles; None for the default one.
        cache: whether the disk cache is read and written.

    Raises:
        KBError: all errors of `kb check`, with their places.
    """
    rules = compiled_rules(folder, profile, cache)
    if not (cache and known_sound(rules.kb, folder)):
        with foreseen(folder, profile):
            if wrong := list(problems(rules)):
                raise KBError(wrong)
            for _ in read_all(folder, profile, cache):
                pass  # reading is the check
        keep_sound(rules.kb, folder, flawless=not any(warnings(rules)))
    return rules


def check_open(rules: OpenRules) -> None:
    """Raise KBError where `kb check` refuses a game for more than rules that only clingo can answer.

    A game that lacks something without those rules is no game: then an error at a line is still one.
    """
    if not rules.folder.is_game:
        return
    with foreseen(rules.folder, rules.profile):
        closed = rules.closed()
    try:
        sound_rules(closed, rules.profile)
    except KBError as problem:
        wrong = [each for each in problem.diagnostics if each.location is not None or not closed.set_aside]
        if wrong:
            raise KBError(wrong) from None


@garbage.none_made()
def compiled_rules(folder: Folder, profile: str | None = None, cache: bool = True) -> Rules:
    """Compile the rules of a folder without the full check, to compare what `kb check` refuses; raises KBError."""
    with foreseen(folder, profile):
        rules = read_rules(folder, profile, cache)
        checks = check_countable, check_deal, check_init, check_beliefs
        found = [each for ask in checks for each in _told(lambda ask=ask: ask(rules))]  # type: ignore[misc]
        if found:
            raise KBError([placed(each, folder.program(profile), folder) for each in found])
    return rules


def problems(rules: Rules) -> Iterator[Diagnostic]:
    """All that is wrong, at the first rule of a predicate that it speaks of."""
    program = rules.folder.program(rules.profile)
    for problem in _problems(rules):
        yield placed(problem, program, rules.folder)


def warnings(rules: Rules) -> Iterator[Diagnostic]:
    """What `kb check` reports of sound rules: plays that are counted by an upper bound."""
    program = rules.folder.program(rules.profile)
    for problem in bounded(rules):
        yield placed(problem, program, rules.folder)


def _problems(rules: Rules) -> Iterator[Diagnostic]:
    yield from uncounted(rules)
    found = [each for ask in (_views, check_deal, _flow) for each in _told(lambda ask=ask: ask(rules))]  # type: ignore[misc]
    yield from found
    if not found:
        yield from _told(lambda: _begin(rules))


def _told(ask: Callable[[], object]) -> Iterator[Diagnostic]:
    """What an error says."""
    try:
        ask()
    except KBError as problem:
        yield from problem.diagnostics
    except GameError as problem:
        yield error(None, str(problem), "docs/engine.md says when it is asked")


def _views(rules: Rules) -> None:
    observation_of(rules)
    written(rules)
    archive_of(rules.folder)
    _ = rules.letters, rules.worth, rules.widest


def _flow(rules: Rules) -> None:
    Flow.of(rules)
    if rules.words.stages:
        _ = rules.choosing


def check_deal(rules: Rules) -> None:
    """Raise KBError where more is dealt than there is, or nothing."""
    dealt, cards = sum(rules.table.dealt), len(rules.pack.deck)
    if dealt > cards:
        raise kb_error(f"deals/2: {dealt} cards in all, and the pack has {cards}", "deal fewer, or say packs(2).")
    if not dealt:
        raise kb_error("nobody is dealt a card: no deals/2", "write deals(S,13) :- seat(S).")


def _begin(rules: Rules) -> None:
    """Deal, and choose anything until play begins; raises KBError where it does not."""
    tables = Tables.begin(rules, mix_all(np.arange(DEALS).astype(np.uint64), 1))
    for _ in range(MOST_CHOICES):
        which = tables.choosing()
        if not which.size:
            return
        options = tables.choices(which).options
        lots = below_all(mix_all(tables.keys[which], tables.clock[which]), 1 << 16).astype(np.int64)
        nth = lots % np.maximum(1, options.sum(axis=1))
        chosen = (np.cumsum(options, axis=1) > nth[:, None]).argmax(axis=1)
        tables.choose(which, chosen.astype(np.uint8))
    stage = rules.words.stages[int(tables.state.choice[tables.choosing()[0]])]
    raise kb_error(
        f"asks/2: the stage {stage} is never left: after {MOST_CHOICES} choices a seat is still asked",
        "ask only while something is missing, and remember what was chosen: next(…) :- event(choice), chosen(…)",
    )
