"""Reading the facts of a game's labels: what every game's rule files say in the same way."""

from __future__ import annotations

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase


def read_label_texts(kb: KnowledgeBase) -> tuple[str, ...]:
    """The labels by their index; raises KBError where they are not numbered from 0 without gaps."""
    names = read_mapping(kb, "label", 2, 1)
    if sorted(names) != [(index,) for index in range(len(names))] or len(set(names.values())) != len(names):
        raise make_kb_error(
            "label/2 must number the labels 0, 1, 2, ... without gaps or repeats", "check the arithmetic in labels.lp"
        )
    return tuple(str(names[index,]) for index in range(len(names)))


def read_mapping(kb: KnowledgeBase, name: str, arity: int, num_keys: int) -> dict[tuple[Term, ...], Term]:
    """A relation that gives one value for the first arguments; raises KBError where it gives two."""
    found: dict[tuple[Term, ...], Term] = {}
    for arguments in kb.facts(name, arity):
        if found.setdefault(arguments[:num_keys], arguments[num_keys]) != arguments[num_keys]:
            of = ", ".join(map(str, arguments[:num_keys]))
            raise make_kb_error(
                f"{name}/{arity} says both {found[arguments[:num_keys]]} and {arguments[num_keys]} of {of}",
                "keep one of them",
            )
    return found


def require_int(value: Term, fact: str) -> int:
    """An argument that must be a number; raises KBError."""
    if not isinstance(value, int):
        raise make_kb_error(f"{fact}: '{value}' is no number", "write a number there")
    return value


def functor(term: str) -> str:
    """``full_house`` of ``full_house(4,5)``."""
    return term.partition("(")[0]


def arguments(term: str) -> tuple[int | str, ...]:
    """``(4, 5)`` of ``full_house(4,5)``."""
    inner = term.partition("(")[2].rstrip(")")
    return tuple(int(part) if part.lstrip("-").isdigit() else part for part in inner.split(",")) if inner else ()
