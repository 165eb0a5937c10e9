"""Where the text derives an instance of a predicate, and whose text that is.

A ground program does not say which rule an atom came from. Its rule is found by its head: constants and functors must
be those of the atom, variables may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import clingo
from clingo import ast
from clingo.ast import ASTType

from abl_cards.games.reading.known import Known, shape_of
from abl_cards.games.reading.variants import Layers
from abl_cards.logic import KBError, KnowledgeBase, Location, Signature, Term
from abl_cards.logic.files import lies_in
from abl_cards.logic.program import Source, Sources, parse
from abl_cards.logic.statements import Program, constant_value

_DECLARATION = "#external "


@dataclass(frozen=True)
class Head:
    """The head of a rule that may derive an instance."""

    location: Location
    arguments: tuple[Location, ...]
    terms: tuple[ast.AST, ...]
    fact: bool  # no body
    own: bool  # in the folder itself, not in a common file or a parent


class Origins:
    """The rules of a game by what they derive."""

    def __init__(self, known: Known) -> None:
        self._known, self._program = known, known.program
        self._own: dict[str, bool] = {}
        self._files: dict[str, dict[str, list[tuple[ast.AST, ast.AST]]]] = {}
        self._read: dict[Signature, list[Head]] = {}
        self._matches: dict[tuple[Signature, tuple[Term, ...]], list[Head]] = {}

    def place(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> Location | None:
        """Where the instance is derived: its argument at a place, or all of it; None where no rule has such a head.

        If a rule of a common file or parent derives it, this is the place where the folder names the argument, if any.
        """
        heads = self._deriving(signature, instance)
        if not heads:
            return None
        where = heads[0].location if at is None else heads[0].arguments[at]
        return where if heads[0].own else self._written(instance if at is None else (instance[at],)) or where

    def _written(self, terms: tuple[Term, ...]) -> Location | None:
        """Where the folder itself names one of some terms."""
        for source in self._program.sources.files:
            for term in terms if self._is_own(source.path) else ():
                if found := re.search(rf"(?<!\w){re.escape(str(term))}(?!\w)", source.scan.code):
                    return source.location(*found.span())
        return None

    def is_fact(self, signature: Signature, instance: tuple[Term, ...]) -> bool:
        """Whether the text says it as it is, without a rule."""
        heads = self._deriving(signature, instance)
        return bool(heads) and heads[0].fact

    def excused(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> bool:
        """Whether a common file or a parent says it, and not the folder itself: the folder may leave the thing out."""
        heads = self._deriving(signature, instance)
        if not heads or heads[0].own:
            return False
        return heads[0].fact or self._of_parent(signature, instance, at)

    def of_all_profiles(self, signature: Signature, instance: tuple[Term, ...]) -> bool:
        """Whether it is said for several profiles, one of which may have what it names."""
        heads = self._deriving(signature, instance)
        several = len(self._known.folder.profiles) > 1
        return several and bool(heads) and Path(heads[0].location.file).parent.name != "profiles"

    def _of_parent(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> bool:
        """Whether the parent derives it, or the same of another thing with this functor, as a pair of another rank."""
        if self._parent is None:
            return False
        there = self._parent_instances(signature)
        return instance in there or (
            at is not None and shape_of(instance[at]) in {shape_of(other[at]) for other in there}
        )

    def _parent_instances(self, signature: Signature) -> set[tuple[Term, ...]]:
        assert self._parent is not None
        if signature not in self._inherited:
            self._inherited[signature] = set(self._parent.instances(*signature))
        return self._inherited[signature]

    @cached_property
    def _inherited(self) -> dict[Signature, set[tuple[Term, ...]]]:
        return {}

    @cached_property
    def _parent(self) -> KnowledgeBase | None:
        """The knowledge base of the parent, which may derive the same of what the variant leaves out."""
        from abl_cards.games.reading.folder import Folder
        from abl_cards.games.reading.loading import read_knowledge

        folders = self._known.folder.layers.folders
        if len(folders) < 2:
            return None
        parent = Folder(folders[-2])
        try:
            return read_knowledge(parent, _own_profile(self._program, parent.layers))
        except KBError:
            return None

    def _deriving(self, signature: Signature, instance: tuple[Term, ...]) -> list[Head]:
        """The heads that may derive it: facts before rules, those of the folder first, the most exact first."""
        key = signature, instance
        if key not in self._matches:
            symbols = [clingo.parse_term(str(term)) for term in instance]
            found = []
            for head in self._heads(signature):
                exact = [_fit(node, symbol, self._program) for node, symbol in zip(head.terms, symbols, strict=True)]
                if all(each is not None for each in exact):
                    found.append((not head.fact, not head.own, -sum(each or 0 for each in exact), head))
            self._matches[key] = [head for *_, head in sorted(found, key=lambda each: each[:3])]
        return self._matches[key]

    def declaring(self, signature: Signature, instance: tuple[Term, ...]) -> Head | None:
        """The ``#external`` of the folder itself that gives an input, the most exact one."""
        symbols = [clingo.parse_term(str(term)) for term in instance]
        found = []
        for head in self._statements(signature, _DECLARATION):
            exact = [_fit(node, symbol, self._program) for node, symbol in zip(head.terms, symbols, strict=True)]
            if head.own and all(each is not None for each in exact):
                found.append((sum(each or 0 for each in exact), head))
        return max(found, key=lambda each: each[0], default=(0, None))[1]

    def _heads(self, signature: Signature) -> list[Head]:
        """Every head of a predicate."""
        if signature not in self._read:
            self._read[signature] = self._statements(signature)
        return self._read[signature]

    def _statements(self, signature: Signature, kind: str = "") -> list[Head]:
        """The rules or declarations of a predicate; only files that have its name are parsed."""
        files = [source for source in self._program.sources.files if signature.name in source.scan.code]
        rules = [rule for source in files for rule in self._rules(source).get(kind + signature.name, ())]
        return [self._head(*each) for each in rules if len(each[1].arguments) == signature.arity]

    def _rules(self, source: Source) -> dict[str, list[tuple[ast.AST, ast.AST]]]:
        """The rules and declarations of a file by the predicates of their heads, each with its head."""
        if source.path not in self._files:
            found = self._files[source.path] = {}
            for statement in parse(Sources((source,)))[0]:
                if statement.ast_type in (ASTType.Rule, ASTType.External):
                    kind = _DECLARATION if statement.ast_type == ASTType.External else ""
                    for term in _head_terms(statement):
                        found.setdefault(kind + str(term.name), []).append((statement, term))
        return self._files[source.path]

    def _head(self, rule: ast.AST, term: ast.AST) -> Head:
        where = self._program.sources.location_of(term)
        arguments = tuple(term.arguments)
        places = tuple(self._program.sources.location_of(argument) for argument in arguments)
        return Head(where, places, arguments, not rule.body, self._is_own(where.file))

    def _is_own(self, file: str) -> bool:
        if file not in self._own:
            layers = self._known.folder.layers
            shelves = [shelf.resolve() for shelf in layers.library]
            self._own[file] = lies_in(file, [layers.folders[-1].resolve()]) and not lies_in(file, shelves)
        return self._own[file]


def _head_terms(rule: ast.AST) -> Iterator[ast.AST]:
    """The head of a rule or declaration as a function of its arguments; several where it is a pool."""
    atom = rule.atom if rule.ast_type == ASTType.External else getattr(rule.head, "atom", None)
    waiting = [atom.symbol] if atom is not None and atom.ast_type == ASTType.SymbolicAtom else []
    for term in waiting:
        if term.ast_type == ASTType.Pool:
            waiting.extend(term.arguments)
        elif term.ast_type == ASTType.Function:
            yield term


def _own_profile(program: Program, layers: Layers) -> str | None:
    """The profile that is read, where the parent has it as well."""
    names = {Path(source.path).stem for source in program.sources.files if Path(source.path).parent.name == "profiles"}
    return next((name for name in sorted(names) if name in layers.profiles), None)


def _fit(node: ast.AST, symbol: clingo.Symbol, program: Program) -> int | None:
    """How many names of a term of the text a ground term repeats; None where they differ."""
    kind = node.ast_type
    if kind == ASTType.Variable:
        return 0
    if kind == ASTType.Pool:
        fits = [fit for each in node.arguments if (fit := _fit(each, symbol, program)) is not None]
        return max(fits, default=None)
    if kind == ASTType.Function and node.arguments:
        if symbol.type != clingo.SymbolType.Function or not symbol.match(node.name, len(node.arguments)):
            return None
        pairs = zip(node.arguments, symbol.arguments, strict=True)
        parts = [_fit(inner, part, program) for inner, part in pairs]
        return None if None in parts else 1 + sum(part or 0 for part in parts)
    value = constant_value(node, program)
    if value is not None:
        return 1 if str(value) == str(symbol) else None
    if kind == ASTType.Interval:
        low, high = constant_value(node.left, program), constant_value(node.right, program)
        if isinstance(low, int) and isinstance(high, int) and symbol.type == clingo.SymbolType.Number:
            return 1 if low <= symbol.number <= high else None
    return 0 if symbol.type == clingo.SymbolType.Number else None
