"""Find matches that cannot come to an end, as what ends them is forgotten after every episode."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.asp import Diagnostic, Signature, make_warning
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame, join_names
from abl_cards.games.description import COUNTER

_MATCH_OVER = Signature("match_over", 0)


def find_endless_match(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Find a ``match_over/0`` that reads fluents, and none that lasts from one episode to the next.

    Args:
        rules: Compiled rules.

    Yields:
        A warning without a location. If an episode may end a match by itself, nothing is wrong with such a rule.
    """
    if _MATCH_OVER not in rules.kb.request.outputs:
        return
    inputs = {atom.name for atom in rules.kb.circuit(str(_MATCH_OVER)).inputs}
    fluents = [fluent for fluent in rules.fluents.fluents if fluent.signature.name in inputs]
    if fluents and not any(fluent.is_persistent for fluent in fluents):
        names = [fluent.signature.name for fluent in fluents]
        counted = next((fluent.signature.name for fluent in fluents if fluent.value_type == COUNTER), names[0])
        message = f"'{_MATCH_OVER}' reads {join_names(names)}, and each episode begins without what was there before"
        remedy = f"write lasts({counted},match), or match_over. where a match is one episode"
        yield make_warning(None, message, remedy, ErrorCode.UNUSED_DEFINITION)
