"""Find the rule that derives an instance of a predicate, and whether the folder itself contains it.

A ground program does not record the rule of an atom. The rule is found by its head: constants and functors must match
those of the atom, and a variable stands for one term. Of several rules that match, rules whose bodies have
instances with these terms come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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

Bindings = dict[str, clingo.Symbol]
"""The terms that variables stand for, by name."""


@dataclass(frozen=True)
class RuleHead:
    """Head of a rule that may derive an instance.

    Attributes:
        location: Location of the head.
        arguments: Locations of its arguments.
        terms: Syntax trees of its arguments.
        conditions: Syntax trees of the atoms in the body.
        is_fact: The rule has no body.
        is_own: The rule is in the folder itself, not in a common file or a parent.
    """

    location: Location
    arguments: tuple[Location, ...]
    terms: tuple[ast.AST, ...]
    conditions: tuple[ast.AST, ...]
    is_fact: bool
    is_own: bool


class SourceOrigins:
    """Index of the rules of a game by the instances that they may derive."""

    def __init__(self, known: KnownNames) -> None:
        self._known, self._program = known, known.program
        self._own_files: dict[str, bool] = {}
        self._rules_by_file: dict[str, dict[str, list[tuple[ast.AST, ast.AST]]]] = {}
        self._heads_by_signature: dict[Signature, list[RuleHead]] = {}
        self._heads_by_instance: dict[tuple[Signature, tuple[Term, ...]], list[RuleHead]] = {}
        self._symbols_by_signature: dict[Signature, list[list[clingo.Symbol]]] = {}

    def find_location(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> Location | None:
        """Find the location of an instance.

        Args:
            signature: Predicate.
            instance: Arguments.
            at: Index of the argument to locate; None for the whole head.

        Returns:
            Location in the rule that derives the instance; None if no head matches. If the rule is in a common file or
            a parent, the location where the folder itself mentions the argument, if there is one.
        """
        heads = self._find_heads(signature, instance)
        if not heads:
            return None
        location = heads[0].location if at is None else heads[0].arguments[at]
        return (
            location if heads[0].is_own else self._find_mention(instance if at is None else (instance[at],)) or location
        )

    def _find_mention(self, terms: tuple[Term, ...]) -> Location | None:
        """Find the first mention of any of some terms in the folder itself."""
        for source in self._program.sources.files:
            for term in terms if self.is_own(source.path) else ():
                if match := re.search(rf"(?<!\w){re.escape(str(term))}(?!\w)", source.scan.code):
                    return source.location(*match.span())
        return None

    def is_fact(self, signature: Signature, instance: tuple[Term, ...]) -> bool:
        """Return True if the text contains the instance as a fact.

        Args:
            signature: Predicate.
            instance: Arguments.
        """
        heads = self._find_heads(signature, instance)
        return bool(heads) and heads[0].is_fact

    def find_own_head(self, signature: Signature, instance: tuple[Term, ...]) -> Location | None:
        """Find the head in the folder itself that derives an instance; None if a common file or a parent derives it.

        Args:
            signature: Predicate.
            instance: Arguments.
        """
        heads = self._find_heads(signature, instance)
        return heads[0].location if heads and heads[0].is_own else None

    def is_inherited(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> bool:
        """Return True if a common file or a parent derives the instance; the folder may leave out what it names.

        Args:
            signature: Predicate.
            instance: Arguments.
            at: Index of the wrong argument; None for several.
        """
        heads = self._find_heads(signature, instance)
        if not heads or heads[0].is_own:
            return False
        return heads[0].is_fact or self._is_from_parent(signature, instance, at)

    def is_shared_by_profiles(self, signature: Signature, instance: tuple[Term, ...]) -> bool:
        """Return True if the instance is derived outside of the profiles, and the folder has several of them.

        Args:
            signature: Predicate.
            instance: Arguments.
        """
        heads = self._find_heads(signature, instance)
        several = len(self._known.folder.profiles) > 1
        return several and bool(heads) and Path(heads[0].location.file).parent.name != "profiles"

    def _is_from_parent(self, signature: Signature, instance: tuple[Term, ...], at: int | None) -> bool:
        """Return True if the parent derives the instance, or one whose argument has the same functor and arity."""
        if self._parent_kb is None:
            return False
        inherited = self._parent_instances(signature)
        return instance in inherited or (
            at is not None and compute_shape(instance[at]) in {compute_shape(other[at]) for other in inherited}
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
        """Knowledge base of the parent; None without a parent, or if its rules are not valid."""
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
        """Find the heads that may derive an instance: facts before rules, own heads first, most exact first."""
        key = signature, instance
        if key not in self._heads_by_instance:
            symbols = [clingo.parse_term(str(term)) for term in instance]
            ranked = []
            for head in self._get_heads(signature):
                bindings: Bindings = {}
                score = _match_terms(head.terms, symbols, self._program, bindings)
                if score is not None:
                    ranked.append((not head.is_fact, not head.is_own, -score, head, bindings))
            if len(ranked) > 1:  # keeps the order where no body can hold: the atoms may be those of another profile
                satisfiable = [entry for entry in ranked if self._can_hold(*entry[3:])]
                ranked = satisfiable or ranked
            self._heads_by_instance[key] = [entry[3] for entry in sorted(ranked, key=lambda entry: entry[:3])]
        return self._heads_by_instance[key]

    def _can_hold(self, head: RuleHead, bindings: Bindings) -> bool:
        """Return True if there is an instance of each atom in a body, with the terms that the variables stand for."""
        return all(self._has_instance(condition, bindings) for condition in head.conditions)

    def _has_instance(self, condition: ast.AST, bindings: Bindings) -> bool:
        nodes = tuple(condition.arguments)
        instances = self._get_symbols(Signature(str(condition.name), len(nodes)))
        return not instances or any(
            _match_terms(nodes, symbols, self._program, dict(bindings)) is not None for symbols in instances
        )

    def _get_symbols(self, signature: Signature) -> list[list[clingo.Symbol]]:
        """Return the instances of a predicate, inputs among them."""
        if signature not in self._symbols_by_signature:
            self._symbols_by_signature[signature] = [
                [clingo.parse_term(str(term)) for term in instance] for instance in self._known.kb.instances(*signature)
            ]
        return self._symbols_by_signature[signature]

    def find_declaration(self, signature: Signature, instance: tuple[Term, ...]) -> RuleHead | None:
        """Find the ``#external`` of the folder itself that declares an input most exactly.

        Args:
            signature: Predicate.
            instance: Arguments.
        """
        symbols = [clingo.parse_term(str(term)) for term in instance]
        scored = []
        for head in self._read_statements(signature, _EXTERNAL_PREFIX):
            score = _match_terms(head.terms, symbols, self._program, {})
            if head.is_own and score is not None:
                scored.append((score, head))
        return max(scored, key=lambda entry: entry[0], default=(0, None))[1]

    def _get_heads(self, signature: Signature) -> list[RuleHead]:
        """Return all heads of a predicate."""
        if signature not in self._heads_by_signature:
            self._heads_by_signature[signature] = self._read_statements(signature)
        return self._heads_by_signature[signature]

    def _read_statements(self, signature: Signature, kind: str = "") -> list[RuleHead]:
        """Read the rules or declarations of a predicate; only files that contain its name are parsed."""
        files = [source for source in self._program.sources.files if signature.name in source.scan.code]
        rules = [entry for source in files for entry in self._read_rules(source).get(kind + signature.name, ())]
        return [
            self._build_head(*rule_and_head)
            for rule_and_head in rules
            if len(rule_and_head[1].arguments) == signature.arity
        ]

    def _read_rules(self, source: RuleSource) -> dict[str, list[tuple[ast.AST, ast.AST]]]:
        """Read the rules and declarations of a file by the predicates of their heads, with each head."""
        if source.path not in self._rules_by_file:
            rules = self._rules_by_file[source.path] = {}
            for statement in parse_sources(RuleSources((source,)))[0]:
                if statement.ast_type in (ASTType.Rule, ASTType.External):
                    kind = _EXTERNAL_PREFIX if statement.ast_type == ASTType.External else ""
                    for term in _iter_head_terms(statement):
                        rules.setdefault(kind + str(term.name), []).append((statement, term))
        return self._rules_by_file[source.path]

    def _build_head(self, rule: ast.AST, term: ast.AST) -> RuleHead:
        location = self._program.sources.node_location(term)
        arguments = tuple(term.arguments)
        argument_locations = tuple(self._program.sources.node_location(argument) for argument in arguments)
        conditions = tuple(_iter_conditions(rule))
        return RuleHead(location, argument_locations, arguments, conditions, not rule.body, self.is_own(location.file))

    def is_own(self, file: str) -> bool:
        """Return True if a file is in the folder itself, not a common file or one of a parent."""
        if file not in self._own_files:
            layers = self._known.folder.layers
            common_dirs = [directory.resolve() for directory in layers.include_paths]
            is_in_folder = is_inside(file, [layers.folders[-1].resolve()])
            self._own_files[file] = is_in_folder and not is_inside(file, common_dirs)
        return self._own_files[file]


def _iter_head_terms(rule: ast.AST) -> Iterator[ast.AST]:
    """Return the heads of a rule or declaration as functions of their arguments; several for a pool."""
    atom = rule.atom if rule.ast_type == ASTType.External else getattr(rule.head, "atom", None)
    pending = [atom.symbol] if atom is not None and atom.ast_type == ASTType.SymbolicAtom else []
    for term in pending:
        if term.ast_type == ASTType.Pool:
            pending.extend(term.arguments)
        elif term.ast_type == ASTType.Function:
            yield term


def _iter_conditions(rule: ast.AST) -> Iterator[ast.AST]:
    """Yield the atoms of a body that are neither negated nor under a condition; pools and aggregates are left out."""
    for literal in rule.body:
        if literal.ast_type == ASTType.Literal and literal.sign == ast.Sign.NoSign:
            symbol = literal.atom.symbol if literal.atom.ast_type == ASTType.SymbolicAtom else None
            if symbol is not None and symbol.ast_type == ASTType.Function:
                yield symbol


def _find_own_profile(program: ProgramSummary, layers: FolderLayers) -> str | None:
    """Find the profile that is loaded, if the parent has it as well."""
    names = {Path(source.path).stem for source in program.sources.files if Path(source.path).parent.name == "profiles"}
    return next((name for name in sorted(names) if name in layers.profiles), None)


def _match_terms(
    nodes: Sequence[ast.AST], symbols: Sequence[clingo.Symbol], program: ProgramSummary, bindings: Bindings
) -> int | None:
    """Count the names in terms of the text that ground terms repeat; None if they do not match.

    Variables get their terms in `bindings`.
    """
    total = 0
    for node, symbol in zip(nodes, symbols, strict=True):
        score = _match_score(node, symbol, program, bindings)
        if score is None:
            return None
        total += score
    return total


def _match_score(node: ast.AST, symbol: clingo.Symbol, program: ProgramSummary, bindings: Bindings) -> int | None:
    """Count the names of a term in the text that a ground term repeats; None if they do not match."""
    kind = node.ast_type
    if kind == ASTType.Variable:
        return 0 if node.name == "_" or bindings.setdefault(node.name, symbol) == symbol else None
    if kind == ASTType.Pool:
        return _match_pool(node, symbol, program, bindings)
    if kind == ASTType.Function and node.arguments:
        if symbol.type != clingo.SymbolType.Function or not symbol.match(node.name, len(node.arguments)):
            return None
        score = _match_terms(node.arguments, symbol.arguments, program, bindings)
        return None if score is None else 1 + score
    value = evaluate_constant(node, program)
    if value is not None:
        return 1 if str(value) == str(symbol) else None
    if kind == ASTType.Interval:
        lower, upper = evaluate_constant(node.left, program), evaluate_constant(node.right, program)
        if isinstance(lower, int) and isinstance(upper, int) and symbol.type == clingo.SymbolType.Number:
            return 1 if lower <= symbol.number <= upper else None
    return 0 if symbol.type == clingo.SymbolType.Number else None


def _match_pool(node: ast.AST, symbol: clingo.Symbol, program: ProgramSummary, bindings: Bindings) -> int | None:
    """Match the alternative of a pool that repeats most names."""
    best: tuple[int, Bindings] | None = None
    for alternative in node.arguments:
        found = dict(bindings)
        score = _match_score(alternative, symbol, program, found)
        if score is not None and (best is None or score > best[0]):
            best = score, found
    if best is None:
        return None
    bindings.update(best[1])
    return best[0]
