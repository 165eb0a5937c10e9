"""Atoms and their arguments as plain Python values: numbers are ints, all other terms are their clingo text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import clingo

Term = int | str


class Atom(NamedTuple):
    """Ground atom, equal to the plain tuple (name, arguments); `str` gives its clingo text.

    >>> str(Atom("held", (4, "h")))
    'held(4,h)'
    """

    name: str
    args: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.args))})" if self.args else self.name


class Signature(NamedTuple):
    """Predicate: its name and its number of arguments, written `held/2`."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Parse a text such as `held/2`.

        Args:
            text: Name, slash and number of arguments.

        Returns:
            The signature.

        Raises:
            ValueError: The text has another form.
        """
        name, slash, arity = str(text).rpartition("/")
        if not (slash and name and arity.isdecimal()):
            raise ValueError(f"not a predicate: '{text}' (write name/arity, such as 'held/2')")
        return cls(name, int(arity))


@dataclass(frozen=True, init=False)
class Input:
    """Declaration of an input predicate by the engine.

    Attributes:
        name: Name of the predicate.
        domains: For each argument the values that the engine can supply; None leaves them to the knowledge base.
        arity: Number of arguments.

    >>> Input("held", (range(13), (1, 2))).arity
    2
    """

    name: str
    domains: tuple[tuple[Term, ...], ...] | None
    arity: int

    def __init__(self, name: str, domains: object = None, arity: int | None = None) -> None:
        """Declare an input.

        Args:
            name: Name of the predicate.
            domains: For each argument an iterable of its values; None leaves them to the knowledge base.
            arity: Number of arguments; by default that of `domains`.

        Raises:
            ValueError: Neither the domains nor the arity are given, or they contradict each other.
        """
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
        """Name and arity."""
        return Signature(self.name, self.arity)

    def admits(self, args: tuple[Term, ...]) -> bool:
        """Return whether the engine can supply the instance with these arguments."""
        return self.domains is None or all(arg in domain for arg, domain in zip(args, self.domains, strict=True))


@lru_cache(maxsize=1 << 14)  # a ground program has far more atoms than terms, and calls of clingo are slow
def term_from_symbol(symbol: clingo.Symbol) -> Term:
    """Convert a clingo term to an int or a text.

    Args:
        symbol: Term of a ground atom.

    Returns:
        The value of a number, else the text of the term.
    """
    return symbol.number if symbol.type.name == "Number" else str(symbol)


def atom_from_symbol(symbol: clingo.Symbol) -> Atom:
    """Convert a clingo atom to plain values.

    Args:
        symbol: Function symbol of a ground atom.

    Returns:
        The atom with its arguments as ints and texts.
    """
    return Atom(symbol.name, tuple(term_from_symbol(argument) for argument in symbol.arguments))


def split_term(text: Term) -> Atom:
    """Split the text of a term into functor and arguments.

    Args:
        text: Term as clingo writes it, or a number.

    Returns:
        The functor with its arguments; a number or a string becomes the functor, without arguments.

    >>> split_term("break_straight_flush(5,h)")
    Atom(name='break_straight_flush', args=(5, 'h'))
    """
    import clingo

    symbol = clingo.parse_term(str(text))
    return atom_from_symbol(symbol) if symbol.type.name == "Function" else Atom(str(text))


def string_value(term: Term) -> str:
    """Return the content of a string term.

    Args:
        term: Term as clingo writes it.

    Returns:
        The string without quotes and escapes; any other term as its text.
    """
    import clingo

    symbol = clingo.parse_term(str(term))
    return symbol.string if symbol.type.name == "String" else str(term)
