"""Read the labels of plays in their order."""

from __future__ import annotations

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description.fact_arguments import read_mapping
from abl_cards.games.description.forms import MAX_FORMS


def read_labels(kb: KnowledgeBase) -> tuple[Term, ...]:
    """Read the labels of a game in order: by ``label/2``, or by ``label/1`` and ``order/2``.

    Args:
        kb: Knowledge base of the game.

    Raises:
        KBError: There are no labels or too many, or a label has no key.
    """
    if kb.facts("label", 2):
        return _read_label_texts(kb)
    labels = [label for (label,) in kb.facts("label", 1)]
    if len(labels) > MAX_FORMS:
        raise make_kb_error(f"label/1: {len(labels)} labels", f"at most {MAX_FORMS}", ErrorCode.GAME_TOO_LARGE)
    if not labels:
        remedy = "write label(single(R)) :- rank(R). and so on"
        raise make_kb_error("no label/1: there is nothing to play", remedy, ErrorCode.MISSING_FACT)
    keys = {label: key for (label,), key in read_mapping(kb, "order", 2, 1).items()}
    missing = [label for label in labels if label not in keys]
    if keys and missing:
        raise make_kb_error(
            f"label({missing[0]}): it has no order/2",
            f"write order({missing[0]},Key), or no order/2 at all",
            ErrorCode.MISSING_FACT,
        )
    key_ranks = number_terms(list(keys.values()))
    return tuple(sorted(labels, key=lambda label: key_ranks[keys[label]])) if keys else tuple(labels)


def number_terms(terms: list[Term]) -> dict[Term, int]:
    """Number terms from 1 in clingo's order of terms; integers keep their distances."""
    import clingo

    if all(isinstance(term, int) for term in terms):
        lowest = min(terms, default=0)
        return {term: int(term) - int(lowest) + 1 for term in terms}
    ordered = sorted({term: clingo.parse_term(str(term)) for term in terms}.items(), key=lambda pair: pair[1])
    return {term: index + 1 for index, (term, _) in enumerate(ordered)}


def _read_label_texts(kb: KnowledgeBase) -> tuple[str, ...]:
    """Read the labels in the order of their indices in ``label/2``."""
    names = read_mapping(kb, "label", 2, 1)
    if sorted(names) != [(index,) for index in range(len(names))] or len(set(names.values())) != len(names):
        raise make_kb_error(
            "label/2 must number the labels 0, 1, 2, ... without gaps or repeats",
            "check the arithmetic in labels.lp",
            ErrorCode.INVALID_ARGUMENT,
        )
    return tuple(str(names[index,]) for index in range(len(names)))
