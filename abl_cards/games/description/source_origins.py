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

from abl_cards.asp import (
    KBError,
    Location,
    ProgramSummary,
    RuleSource,
    RuleSources,
    Signature,
    Term,
    evaluate_constant,
    is_inside,
    parse_sources,
)
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.description.known_names import KnownNames, compute_shape
from abl_cards.games.description.variants import FolderLayers

_EXTERNAL_PREFIX = "#external "


@dataclass(frozen=True)
class RuleHead:
    """The head of a rule that may derive an instance."""

    location: Location
    arguments: tuple[Location, ...]
    terms: tuple[ast.AST, ...]
    is_fact: bool  # no body
    is_own: bool  # in the folder itself, not in a common file or a parent


class SourceOrigins:
    """The rules of a game by what they derive."""

    def __init__(self, known: KnownNames) -> None:
        self._known, self._program = known, known.program
        self._own_files: dict[str, bool] = {}
        self._rules_by_file: dict[str, dict[str, list[tuple[ast.AST, ast.AST]]]] = {}
        self._heads_by_signature: dict[Signature, list[RuleHead]] = {}
        self._heads_by_instance: dict[tuple[Signature, tuple[Term, ...]], list[RuleHead]] = {}

    def find_location(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> Location | None:
        """Where the instance is derived: its argument at a place, or all of it; None where no rule has such a head.

        If a rule of a common file or parent derives it, this is the place where the folder names the argument, if any.
        """
        heads = self._find_heads(signature, instance)
        if not heads:
            return None
        where = heads[0].location if at is None else heads[0].arguments[at]
        return where if heads[0].is_own else self._find_mention(instance if at is None else (instance[at],)) or where

    def _find_mention(self, terms: tuple[Term, ...]) -> Location | None:
        """Where the folder itself names one of some terms."""
        for source in self._program.sources.files:
            for term in terms if self._is_own(source.path) else ():
                if found := re.search(rf"(?<!\w){re.escape(str(term))}(?!\w)", source.scan.code):
                    return source.location(*found.span())
        return None

    def is_fact(self, signature: Signature, instance: tuple[Term, ...]) -> bool:
        """Whether the text says it as it is, without a rule."""
        heads = self._find_heads(signature, instance)
        return bool(heads) and heads[0].is_fact

    def is_inherited(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> bool:
        """Whether a common file or a parent says it, and not the folder itself: the folder may leave the thing out."""
        heads = self._find_heads(signature, instance)
        if not heads or heads[0].is_own:
            return False
        return heads[0].is_fact or self._is_from_parent(signature, instance, at)

    def is_shared_by_profiles(self, signature: Signature, instance: tuple[Term, ...]) -> bool:
        """Whether it is said for several profiles, one of which may have what it names."""
        heads = self._find_heads(signature, instance)
        several = len(self._known.folder.profiles) > 1
        return several and bool(heads) and Path(heads[0].location.file).parent.name != "profiles"

    def _is_from_parent(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> bool:
        """Whether the parent derives it, or the same of another thing with this functor, as a pair of another rank."""
        if self._parent_kb is None:
            return False
        there = self._parent_instances(signature)
        return instance in there or (
            at is not None and compute_shape(instance[at]) in {compute_shape(other[at]) for other in there}
        )

    def _parent_instances(self, signature: Signature) -> set[tuple[Term, ...]]:
        assert self._parent_kb is not None
        if signature not in self._parent_cache:
            self._parent_cache[signature] = set(self._parent_kb.instances(*signature))
        return self._parent_cache[signature]

    @cached_property
    def _parent_cache(self) -> dict[Signature, set[tuple[Term, ...]]]:
        return {}

    @cached_property
    def _parent_kb(self) -> KnowledgeBase | None:
        """The knowledge base of the parent, which may derive the same of what the variant leaves out."""
        from abl_cards.games.description.folder import Folder
        from abl_cards.games.description.loading import load_game_knowledge

        folders = self._known.folder.layers.folders
        if len(folders) < 2:
            return None
        parent = Folder(folders[-2])
        try:
            return load_game_knowledge(parent, _find_own_profile(self._program, parent.layers))
        except KBError:
            return None

    def _find_heads(self, signature: Signature, instance: tuple[Term, ...]) -> list[RuleHead]:
        """The heads that may derive it: facts before rules, those of the folder first, the most exact first."""
        key = signature, instance
        if key not in self._heads_by_instance:
            symbols = [clingo.parse_term(str(term)) for term in instance]
            found = []
            for head in self._get_heads(signature):
                exact = [
                    _match_score(node, symbol, self._program) for node, symbol in zip(head.terms, symbols, strict=True)
                ]
                if all(each is not None for each in exact):
                    found.append((not head.is_fact, not head.is_own, -sum(each or 0 for each in exact), head))
            self._heads_by_instance[key] = [head for *_, head in sorted(found, key=lambda each: each[:3])]
        return self._heads_by_instance[key]

    def find_declaration(self, signature: Signature, instance: tuple[Term, ...]) -> RuleHead | None:
        """The ``#external`` of the folder itself that gives an input, the most exact one."""
        symbols = [clingo.parse_term(str(term)) for term in instance]
        found = []
        for head in self._read_statements(signature, _EXTERNAL_PREFIX):
            exact = [
                _match_score(node, symbol, self._program) for node, symbol in zip(head.terms, symbols, strict=True)
            ]
            if head.is_own and all(each is not None for each in exact):
                found.append((sum(each or 0 for each in exact), head))
        return max(found, key=lambda each: each[0], default=(0, None))[1]

    def _get_heads(self, signature: Signature) -> list[RuleHead]:
        """Every head of a predicate."""
        if signature not in self._heads_by_signature:
            self._heads_by_signature[signature] = self._read_statements(signature)
        return self._heads_by_signature[signature]

    def _read_statements(self, signature: Signature, kind: str = "") -> list[RuleHead]:
        """The rules or declarations of a predicate; only files that have its name are parsed."""
        files = [source for source in self._program.sources.files if signature.name in source.scan.code]
        rules = [rule for source in files for rule in self._read_rules(source).get(kind + signature.name, ())]
        return [self._build_head(*each) for each in rules if len(each[1].arguments) == signature.arity]

    def _read_rules(self, source: RuleSource) -> dict[str, list[tuple[ast.AST, ast.AST]]]:
        """The rules and declarations of a file by the predicates of their heads, each with its head."""
        if source.path not in self._rules_by_file:
            found = self._rules_by_file[source.path] = {}
            for statement in parse_sources(RuleSources((source,)))[0]:
                if statement.ast_type in (ASTType.Rule, ASTType.External):
                    kind = _EXTERNAL_PREFIX if statement.ast_type == ASTType.External else ""
                    for term in _iter_head_terms(statement):
                        found.setdefault(kind + str(term.name), []).append((statement, term))
        return self._rules_by_file[source.path]

    def _build_head(self, rule: ast.AST, term: ast.AST) -> RuleHead:
        where = self._program.sources.node_location(term)
        arguments = tuple(term.arguments)
        places = tuple(self._program.sources.node_location(argument) for argument in arguments)
        return RuleHead(where, places, arguments, not rule.body, self._is_own(where.file))

    def _is_own(self, file: str) -> bool:
        if file not in self._own_files:
            layers = self._known.folder.layers
            shelves = [shelf.resolve() for shelf in layers.include_paths]
            self._own_files[file] = is_inside(file, [layers.folders[-1].resolve()]) and not is_inside(file, shelves)
        return self._own_files[file]


def _iter_head_terms(rule: ast.AST) -> Iterator[ast.AST]:
    """The head of a rule or declaration as a function of its arguments; several where it is a pool."""
    atom = rule.atom if rule.ast_type == ASTType.External else getattr(rule.head, "atom", None)
    waiting = [atom.symbol] if atom is not None and atom.ast_type == ASTType.SymbolicAtom else []
    for term in waiting:
        if term.ast_type == ASTType.Pool:
            waiting.extend(term.arguments)
        elif term.ast_type == ASTType.Function:
            yield term


def _find_own_profile(program: ProgramSummary, layers: FolderLayers) -> str | None:
    """The profile that is read, where the parent has it as well."""
    names = {Path(source.path).stem for source in program.sources.files if Path(source.path).parent.name == "profiles"}
    return next((name for name in sorted(names) if name in layers.profiles), None)


def _match_score(node: ast.AST, symbol: clingo.Symbol, program: ProgramSummary) -> int | None:
    """How many names of a term of the text a ground term repeats; None where they differ."""
    kind = node.ast_type
    if kind == ASTType.Variable:
        return 0
    if kind == ASTType.Pool:
        fits = [fit for each in node.arguments if (fit := _match_score(each, symbol, program)) is not None]
        return max(fits, default=None)
    if kind == ASTType.Function and node.arguments:
        if symbol.type != clingo.SymbolType.Function or not symbol.match(node.name, len(node.arguments)):
            return None
        pairs = zip(node.arguments, symbol.arguments, strict=True)
        parts = [_match_score(inner, part, program) for inner, part in pairs]
        return None if None in parts else 1 + sum(part or 0 for part in parts)
    value = evaluate_constant(node, program)
    if value is not None:
        return 1 if str(value) == str(symbol) else None
    if kind == ASTType.Interval:
        low, high = evaluate_constant(node.left, program), evaluate_constant(node.right, program)
        if isinstance(low, int) and isinstance(high, int) and symbol.type == clingo.SymbolType.Number:
            return 1 if low <= symbol.number <= high else None
    return 0 if symbol.type == clingo.SymbolType.Number else None
