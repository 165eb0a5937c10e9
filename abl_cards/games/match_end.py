"""Find matches without an end, because no fluent that ends them persists over episodes, and without a result."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.asp import Diagnostic, Signature, make_warning
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame, join_names
from abl_cards.games.description import COUNTER

_MATCH_OVER = Signature("match_over", 0)
_RESULTS = Signature("points", 3), Signature("won", 1), Signature("drawn", 0)


def find_undecided_match(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Find rules by which no seat wins points or a match.

    Args:
        rules: Compiled rules.

    Yields:
        A warning without a location.
    """
    if not any(rules.kb.instances(*signature) for signature in _RESULTS):
        message = "no rule derives points/3 or won/1: every match is a draw"
        remedy = "write points(S,1,won) :- …, or #include <places>."
        yield make_warning(None, message, remedy, ErrorCode.MISSING_FACT)


def find_endless_match(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Find a ``match_over/0`` that reads fluents, none of which persists from one episode to the next.

    Args:
        rules: Compiled rules.

    Yields:
        A warning without a location. The rule is valid if a single episode may end a match.
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
