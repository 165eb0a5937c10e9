"""Facts that a table shows of a compiled game, as its folder states them."""

from __future__ import annotations

import logging

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.compiled.memoize import cache_per_game
from abl_cards.games.description import ShowRules, read_show_rules

log = logging.getLogger(__name__)


@cache_per_game
def find_show_rules(rules: CompiledGame) -> ShowRules:
    """Return the rules of the display of a game: the statements of ``show.lp`` without errors, else all public facts.

    Args:
        rules: Compiled game.
    """
    report = read_show_rules(rules.kb, rules.folder, rules.profile, rules.fluents)
    for error in report.errors:
        log.warning("%s", error)
    return report.rules
