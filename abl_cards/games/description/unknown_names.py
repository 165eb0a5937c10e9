"""Remedies for names that the rules of a game use but do not declare: shared files, engine predicates, fluents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from abl_cards.asp import (
    Diagnostic,
    KBError,
    PredicateUse,
    ProgramSummary,
    Signature,
    did_you_mean,
    find_nearest_word,
)
from abl_cards.core import ErrorCode
from abl_cards.games.description.fluents import FLUENT_TYPES, SET_VALUED
from abl_cards.games.description.input_schema import CARD, CELL, FORM, LABEL, NUMBER, OTHER_SEAT, SEAT
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.variants import parse_files

_MAX_FILES = 3
_RANGES = {LABEL: "label({})", FORM: "form(_,{})", SEAT: "seat({})", OTHER_SEAT: "who({})", CARD: "pack({},_)"}
"""Conditions that give the range of an argument, by its sort; those of cells are ranks and suits."""


def explain_unknown_names(
    error: KBError, program: ProgramSummary, shelf: Sequence[Path], known: Collection[Signature]
) -> KBError:
    """Rewrite the remedies of unknown predicates and inputs.

    Args:
        error: Problems of the rule files.
        program: Summary of all rule files.
        shelf: Directories of shared files.
        known: Predicates that the engine reads.

    Returns:
        The problems with new remedies. The remedy of an unknown predicate is a similar name of the same arity that is
        derived but not used. Else it names the shared files that derive it, or notes that the engine reads it. The
        remedy of an unknown input is the declaration of a fluent.
    """
    explainer = _Explainer(error, program, shelf, known)
    return KBError([explainer.explain(item) for item in error.diagnostics])


def suggest_engine_predicates(
    warnings: Iterable[Diagnostic],
    program: ProgramSummary,
    known: Collection[Signature],
    fluents: Collection[Signature] = (),
) -> Iterator[Diagnostic]:
    """Suggest, for predicates that nothing uses, those that the engine reads, first those that no rule derives.

    Args:
        warnings: Warnings about the rule files.
        program: Summary of all rule files.
        known: Predicates that the engine reads.
        fluents: Declared fluents; one that no rule reads may still be set, so its declaration alone cannot go.

    Yields:
        The warnings in their order.
    """
    unused = {use.location: signature for signature, use in program.unused_heads(known).items()}
    missing = set(known) - {use.signature for use in program.heads}
    declared = {use.location: use.signature for use in program.externals if use.signature in fluents}
    for item in warnings:
        if item.code == ErrorCode.UNUSED_DEFINITION and item.location in declared:
            name = declared[item.location].name
            yield replace(item, remedy=f"read {name} in a rule, or remove it with all rules that set it")
            continue
        signature = unused.get(item.location) if item.location and item.code == ErrorCode.UNUSED_DEFINITION else None
        if signature is None or item.remedy.endswith("?"):
            yield item
            continue
        remedy = suggest_similar_predicate(signature, missing) or suggest_similar_predicate(signature, known)
        yield replace(item, remedy=remedy or item.remedy)


def suggest_similar_predicate(signature: Signature, known: Iterable[Signature]) -> str:
    """Return the remedy for a predicate that nothing uses: one of equal arity with a similar name, or nothing.

    Args:
        signature: Predicate that rules derive.
        known: Predicates that are read.
    """
    return did_you_mean(str(signature), sorted(str(other) for other in known if other.arity == signature.arity))


def find_similar_head(missing: Signature, heads: Mapping[Signature, PredicateUse]) -> PredicateUse | None:
    """Return the head of equal arity whose name is most similar to that of a missing predicate, if one is similar.

    Args:
        missing: Predicate that no rule derives.
        heads: Heads to choose from, such as `ProgramSummary.unused_heads`.
    """
    same_arity = {str(signature): use for signature, use in heads.items() if signature.arity == missing.arity}
    nearest = find_nearest_word(str(missing), same_arity)
    return same_arity[nearest] if nearest else None


class _Explainer:
    """Remedies for the problems of a program."""

    def __init__(
        self, error: KBError, program: ProgramSummary, shelf: Sequence[Path], known: Collection[Signature]
    ) -> None:
        self._program, self._shelf, self._known = program, shelf, known
        self._unused = program.unused_heads(known)
        self._uses = {use.location: use.signature for use in (*program.bodies, *program.externals)}
        codes = (ErrorCode.MISSING_INPUT, ErrorCode.UNKNOWN_PREDICATE)
        self._missing = {
            self._uses.get(item.location) for item in error.diagnostics if item.location and item.code in codes
        }

    def explain(self, item: Diagnostic) -> Diagnostic:
        """Return a problem with the remedy for its name."""
        signature = self._uses.get(item.location) if item.location else None
        if signature is None:
            return item
        if item.code == ErrorCode.UNKNOWN_INPUT:
            kinds = FLUENT_TYPES if signature.arity else (SET_VALUED,)
            ways = " or ".join(f"{kind}({signature.name},{signature.arity})" for kind in kinds)
            suggestion = f"{item.remedy} A fluent is declared" if item.remedy.endswith("?") else "declare a fluent"
            return replace(item, remedy=f"{suggestion} by {ways}")
        if item.code == ErrorCode.MISSING_INPUT:
            declaration = self._declaration_of(signature)
            includes = self._includes_for(signature, 2 if declaration else 1)
            remedy = f"declare it: {declaration}" if declaration else item.remedy
            return replace(item, remedy=f"{remedy}, or {includes}" if includes else remedy)
        if item.code == ErrorCode.UNKNOWN_PREDICATE:
            if similar := find_similar_head(signature, self._unused):
                return replace(item, remedy=f"did you mean '{similar.signature}'?")
            includes = self._includes_for(signature)
            own = "derive it: docs/reference/predicates.md says how" if signature in self._known else "derive it"
            if includes or signature in self._known:
                return replace(item, remedy=f"{own}, or {includes}" if includes else own)
        return item

    def _declaration_of(self, signature: Signature) -> str:
        """Return an ``#external`` for an input with ranges by predicates of the rules; empty where none is obvious."""
        entry = INPUTS.get(signature)
        if entry is None or not entry.arguments:
            return ""
        variables = entry.text.partition("(")[2].rstrip(")").split(",")
        conditions = []
        for place, (variable, sort) in enumerate(zip(variables, entry.arguments, strict=True)):
            if sort is CELL:
                is_suit = place > 0 and entry.arguments[place - 1] is CELL
                conditions.append(f"{'suit' if is_suit else 'rank'}({variable})")
            elif sort is NUMBER and (num_cells := entry.arguments.count(CELL)):
                conditions.append(f"{variable} = {'1..4' if num_cells == 1 else '1'}")
            elif sort in _RANGES:
                conditions.append(_RANGES[sort].format(variable))
            else:
                return ""
        heads = {use.signature.name for use in self._program.heads}
        known = all(" = " in condition or condition.partition("(")[0] in heads for condition in conditions)
        return f"#external {entry.text} : {', '.join(conditions)}." if known else ""

    def _includes_for(self, signature: Signature, least: int = 1) -> str:
        """Return advice to include a shared file; of those with what they include, one that supplies most names.

        Args:
            signature: Missing predicate.
            least: Fewest missing names that the file must supply.
        """
        supplies = {file: names & self._missing for file, names in self._shared_names.items() if signature in names}
        most = max(map(len, supplies.values()), default=0)
        if most < least:
            return ""
        direct = [file for file in supplies if signature in self._own_names[file]]
        best = direct if any(len(supplies[file]) == most for file in direct) else list(supplies)
        files = [file for file in best if len(supplies[file]) == most]
        files.sort(key=lambda file: len(self._shared_names[file]))
        return f"write {' or '.join(f'#include <{file.stem}>.' for file in files[:_MAX_FILES])}" if files else ""

    @cached_property
    def _programs(self) -> dict[Path, ProgramSummary]:
        """Shared files that are not included, each parsed with what it includes.

        Files that include others and have rules of their own are left out: they are parts of certain games.
        """
        included = {Path(source.path).resolve() for source in self._program.sources.files}
        files = sorted(file for directory in self._shelf for file in directory.glob("*.lp"))
        programs = {file: parse_files([file], tuple(self._shelf)) for file in files if file.resolve() not in included}
        return {
            file: program
            for file, program in programs.items()
            if len(program.sources.files) == 1 or all(Path(use.location.file) != file for use in program.heads)
        }

    @cached_property
    def _shared_names(self) -> dict[Path, set[Signature]]:
        """Predicates with a rule or an ``#external`` in each shared file or in what it includes."""
        return {
            file: {use.signature for use in (*text.heads, *text.externals)} for file, text in self._programs.items()
        }

    @cached_property
    def _own_names(self) -> dict[Path, set[Signature]]:
        """Predicates with a rule or an ``#external`` in each shared file itself."""
        return {
            file: {use.signature for use in (*text.heads, *text.externals) if Path(use.location.file) == file}
            for file, text in self._programs.items()
        }
