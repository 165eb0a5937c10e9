"""Summary of the files of a program: predicates of its rules, inputs, constraints and directives, with locations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from clingo import ast

from abl_cards.asp.errors import Diagnostic, Location, make_error
from abl_cards.asp.sources import RuleSources
from abl_cards.asp.terms import Signature, Term
from abl_cards.core import ErrorCode


@dataclass(frozen=True)
class PredicateUse:
    """One occurrence of a predicate.

    Attributes:
        signature: Its name and arity.
        location: Its location.
        pattern: Its constant arguments; None for an argument that is not constant.
        negated: Whether `not` precedes it.
        functor: Functor of the first argument.
    """

    signature: Signature
    location: Location
    pattern: tuple[Term | None, ...]
    negated: bool = False
    functor: str = ""

    def matches(self, arguments: Sequence[Term | None]) -> bool:
        """Return whether arguments match this occurrence; None matches any term.

        Args:
            arguments: As many as the predicate has.
        """
        pairs = zip(self.pattern, arguments, strict=True)
        return all(own is None or other is None or own == other for own, other in pairs)


@dataclass(frozen=True)
class Constraint:
    """Integrity constraint; its index among the constraints is the K of `violated(K)`.

    Attributes:
        location: Its location.
        text: The constraint as clingo writes it.
    """

    location: Location
    text: str


_LocatedT = TypeVar("_LocatedT", Constraint, Diagnostic)


@dataclass
class ProgramSummary:
    """Declarations and uses in the statements of a knowledge base, collected in one walk.

    Attributes:
        sources: The files.
        open_heads: Whether choices and disjunctions are allowed, because clingo solves the rules.
        heads: Predicates in heads.
        facts: Predicates in heads of rules without a body.
        bodies: Predicates in bodies.
        domain_checks: Atoms that are the only atom of a constraint, with the values compared there.
        externals: Inputs that `#external` declares.
        shown: Predicates of `#show`, with the location of the first statement.
        defined: Predicates of `#defined`, with the location of the first statement.
        constants: Location and value of each `#const`; the value is None where it is not plain.
        constraints: Integrity constraints.
        dependencies: For each predicate in a head, the predicates in the bodies of its rules.
        reads: Pairs of the predicate in the head of a rule and a use in its body.
        problems: Errors found in the walk.
    """

    sources: RuleSources
    open_heads: bool = False
    heads: list[PredicateUse] = field(default_factory=list)
    facts: list[PredicateUse] = field(default_factory=list)
    bodies: list[PredicateUse] = field(default_factory=list)
    domain_checks: dict[PredicateUse, set[Term]] = field(default_factory=dict)
    externals: list[PredicateUse] = field(default_factory=list)
    shown: dict[Signature, Location] = field(default_factory=dict)
    defined: dict[Signature, Location] = field(default_factory=dict)
    constants: dict[str, tuple[Location, Term | None]] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
    dependencies: dict[Signature, set[Signature]] = field(default_factory=dict)
    reads: list[tuple[Signature, PredicateUse]] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)

    def reachable_predicates(self, outputs: Iterable[Signature]) -> set[Signature]:
        """Return the predicates that outputs depend on.

        Args:
            outputs: Predicates to start from.

        Returns:
            All predicates on which they depend, and the outputs themselves.
        """
        reached = set(outputs)
        queue = list(reached)
        for output in queue:
            for other in self.dependencies.get(output, set()) - reached:
                reached.add(other)
                queue.append(other)
        return reached

    def unused_heads(self, read: Collection[Signature]) -> dict[Signature, PredicateUse]:
        """Find the predicates that rules derive and nothing uses.

        Args:
            read: Predicates that are read from outside.

        Returns:
            First head of each predicate that no body, `#show` or `#defined` names.
        """
        used = {use.signature for use in self.bodies} | {*read, *self.shown, *self.defined}
        return {use.signature: use for use in find_first_uses(self.heads) if use.signature not in used}

    def relocate(self, path: str) -> ProgramSummary:
        """Return the summary of the same text in a file at another path.

        Args:
            path: Path of the file.

        Returns:
            A copy with all locations in that file, except those of the constants.
        """
        uses_by_id: dict[int, PredicateUse] = {}

        def relocate_use(item: PredicateUse) -> PredicateUse:
            if id(item) not in uses_by_id:
                location = replace(item.location, file=path)
                uses_by_id[id(item)] = PredicateUse(item.signature, location, item.pattern, item.negated, item.functor)
            return uses_by_id[id(item)]

        def relocate_item(item: _LocatedT) -> _LocatedT:
            return replace(item, location=item.location and replace(item.location, file=path))

        return replace(
            self,
            sources=RuleSources(tuple(replace(source, path=path) for source in self.sources.files)),
            heads=list(map(relocate_use, self.heads)),
            facts=list(map(relocate_use, self.facts)),
            bodies=list(map(relocate_use, self.bodies)),
            externals=list(map(relocate_use, self.externals)),
            shown={name: replace(location, file=path) for name, location in self.shown.items()},
            defined={name: replace(location, file=path) for name, location in self.defined.items()},
            domain_checks={relocate_use(item): values for item, values in self.domain_checks.items()},
            constraints=list(map(relocate_item, self.constraints)),
            reads=[(head, relocate_use(read)) for head, read in self.reads],
            problems=list(map(relocate_item, self.problems)),
        )

    def add_error(self, node: ast.AST, message: str, remedy: str, code: ErrorCode) -> None:
        """Add an error.

        Args:
            node: Syntax node that is wrong.
            message: Description of the problem.
            remedy: Instruction that solves the problem.
            code: Kind of the error.
        """
        self.problems.append(make_error(self.sources.node_location(node), message, remedy, code))


def find_first_uses(uses: Iterable[PredicateUse]) -> Iterable[PredicateUse]:
    """Return the first use of every predicate."""
    first: dict[Signature, PredicateUse] = {}
    for use in uses:
        first.setdefault(use.signature, use)
    return first.values()


def merge_programs(parts: Iterable[ProgramSummary], into: ProgramSummary) -> ProgramSummary:
    """Add the summaries of parts to a summary, except for their constants, and return it."""
    for part in parts:
        for name in ("heads", "facts", "bodies", "externals", "constraints", "reads", "problems"):
            getattr(into, name).extend(getattr(part, name))
        into.domain_checks.update(part.domain_checks)
        into.shown = part.shown | into.shown
        into.defined = part.defined | into.defined
        for head, read in part.dependencies.items():
            into.dependencies.setdefault(head, set()).update(read)
    return into
