"""Atoms and their arguments as plain Python values: numbers are ints, every other term is its clingo text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import clingo

Term = int | str


class Atom(NamedTuple):
    """A ground atom; equal to the plain tuple (name, arguments). `str` gives its clingo text.

    >>> str(Atom("held", (4, "h")))
    'held(4,h)'
    """

    name: str
    args: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.args))})" if self.args else self.name


class Signature(NamedTuple):
    """A predicate: name and number of arguments, written `held/2`."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read `held/2`; raises ValueError for anything else."""
        name, slash, arity = text.rpartition("/")
        if not (slash and name and arity.isdecimal()):
            raise ValueError(f"not a predicate: '{text}' (write name/arity, such as 'held/2')")
        return cls(name, int(arity))


@dataclass(frozen=True, init=False)
class Input:
    """The typed declaration of an input predicate on the Python side.

    `domains` lists, for each argument, the values that Python can supply; None leaves them to the knowledge base.

    >>> Input("held", (range(13), (1, 2))).arity
    2
    """

    name: str
    domains: tuple[tuple[Term, ...], ...] | None
    arity: int

    def __init__(self, name: str, domains: object = None, arity: int | None = None) -> None:
        values = None if domains is None else tuple(tuple(domain) for domain in domains)  # type: ignore[attr-defined]
        if arity is None:
            if values is None:
                raise ValueError(f"input '{name}': give its domains or its arity")
            arity = len(values)
        if values is not None and arity != len(values):
            raise ValueError(f"input '{name}': {len(values)} domains for {arity} arguments")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "domains", values)
        object.__setattr__(self, "arity", arity)

    @property
    def signature(self) -> Signature:
        return Signature(self.name, self.arity)

    def admits(self, args: tuple[Term, ...]) -> bool:
        """Whether Python can supply this instance."""
        return self.domains is None or all(arg in domain for arg, domain in zip(args, self.domains, strict=True))


@lru_cache(maxsize=1 << 14)  # a ground program has far more atoms than terms, and asking clingo is slow
def term_from_symbol(symbol: clingo.Symbol) -> Term:
    """The Python value of a clingo term."""
    return symbol.number if symbol.type.name == "Number" else str(symbol)


def atom_from_symbol(symbol: clingo.Symbol) -> Atom:
    """The Python value of a clingo atom."""
    return Atom(symbol.name, tuple(term_from_symbol(argument) for argument in symbol.arguments))


def split_term(text: Term) -> Atom:
    """The functor and the arguments of a term's text; a number has neither.

    >>> split_term("break_straight_flush(5,h)")
    Atom(name='break_straight_flush', args=(5, 'h'))
    """
    import clingo

    symbol = clingo.parse_term(str(text))
    return atom_from_symbol(symbol) if symbol.type.name == "Function" else Atom(str(text))


def string_value(term: Term) -> str:
    """What a string of the rule files says, without its quotes."""
    import clingo

    symbol = clingo.parse_term(str(term))
    return symbol.string if symbol.type.name == "String" else str(term)
