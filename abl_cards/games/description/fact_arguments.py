"""Read facts that define mappings, and split terms into functor and arguments."""

from __future__ import annotations

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode


def read_mapping(kb: KnowledgeBase, name: str, arity: int, num_keys: int) -> dict[tuple[Term, ...], Term]:
    """Read a fact that maps its first arguments to the next one.

    Args:
        kb: Knowledge base of the game.
        name: Name of the fact.
        arity: Number of its arguments.
        num_keys: Number of arguments that form the key.

    Raises:
        KBError: A key has two values.
    """
    mapping: dict[tuple[Term, ...], Term] = {}
    for arguments in kb.facts(name, arity):
        key, value = arguments[:num_keys], arguments[num_keys]
        if mapping.setdefault(key, value) != value:
            raise make_kb_error(
                f"{name}/{arity} says both {mapping[key]} and {value} of {', '.join(map(str, key))}",
                "keep one of them",
                ErrorCode.CONFLICTING_FACTS,
            )
    return mapping


def require_int(value: Term, fact: str) -> int:
    """Return an argument of a fact that must be an integer.

    Args:
        value: Argument.
        fact: Text of the fact, for the message.

    Raises:
        KBError: The argument is not an integer.
    """
    if not isinstance(value, int):
        raise make_kb_error(f"{fact}: '{value}' is no number", "write a number there", ErrorCode.INVALID_ARGUMENT)
    return value


def functor(term: str) -> str:
    """Return the functor of a term: ``full_house`` for ``full_house(4,5)``."""
    return term.partition("(")[0]


def arguments(term: str) -> tuple[int | str, ...]:
    """Return the arguments of a flat term: ``(4, 5)`` for ``full_house(4,5)``."""
    inner = term.partition("(")[2].rstrip(")")
    return tuple(int(part) if part.lstrip("-").isdigit() else part for part in inner.split(",")) if inner else ()


def generalise_kind(kind: Term) -> Term:
    """Return the kind of play that play statistics use: the functor, so that bombs of all sizes are one kind.

    Args:
        kind: Kind of a form.
    """
    return kind if isinstance(kind, int) else functor(kind)
