"""Rule files: parse, check and ground them in a sandbox, cache them, solve them with clingo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.asp.argument_types import ArgumentPosition, ArgumentTypes, infer_argument_types
    from abl_cards.asp.bounded_files import FileTooLargeError, NotAFileError, is_inside, read_regular_file
    from abl_cards.asp.build import (
        BuildRequest,
        BuildResult,
        Limits,
        build_program,
        clingo_arguments,
        ground_statements,
        ground_with_costs,
        read_rewritten_statements,
    )
    from abl_cards.asp.cache import CacheKey, load_cached, load_or_compute, make_cache_key, store_cached
    from abl_cards.asp.check import COST, PLACEHOLDER, PREFERENCE, SAYS, count_identifiers, format_pattern
    from abl_cards.asp.completion import Body, Equations, GroundEquations
    from abl_cards.asp.constant_terms import evaluate_constant
    from abl_cards.asp.errors import (
        Diagnostic,
        KBError,
        Location,
        Severity,
        did_you_mean,
        find_nearest_word,
        make_error,
        make_kb_error,
        make_warning,
        sort_diagnostics,
    )
    from abl_cards.asp.graph import strong_components
    from abl_cards.asp.ground_program import NORMAL, GroundProgram
    from abl_cards.asp.grounding_report import GroundingReport, report_grounding
    from abl_cards.asp.intervals import INT32_MAX
    from abl_cards.asp.lexer import LexerToken, scan_text, tokenize
    from abl_cards.asp.parser import find_syntax_errors, parse_program
    from abl_cards.asp.program import parse_sources, read_statements
    from abl_cards.asp.program_summary import Constraint, PredicateUse, ProgramSummary
    from abl_cards.asp.sandbox import build_in_process, build_in_subprocess, keep_warm_process, work_in_process
    from abl_cards.asp.serialization import (
        atoms_from_json,
        atoms_to_json,
        pack_arrays,
        pack_build,
        unpack_arrays,
        unpack_build,
    )
    from abl_cards.asp.solver import ClingoSolver, SolveOptions
    from abl_cards.asp.sources import RuleSource, RuleSources, read_sources
    from abl_cards.asp.statements import OPEN_HEADS, UNSUPPORTED, VIOLATED
    from abl_cards.asp.stratification import check_stratified
    from abl_cards.asp.terms import (
        Atom,
        Input,
        Signature,
        Term,
        atom_from_symbol,
        split_term,
        string_value,
        term_from_symbol,
    )

__all__ = [
    "COST",
    "INT32_MAX",
    "NORMAL",
    "OPEN_HEADS",
    "PLACEHOLDER",
    "PREFERENCE",
    "SAYS",
    "UNSUPPORTED",
    "VIOLATED",
    "ArgumentPosition",
    "ArgumentTypes",
    "Atom",
    "Body",
    "BuildRequest",
    "BuildResult",
    "CacheKey",
    "ClingoSolver",
    "Constraint",
    "Diagnostic",
    "Equations",
    "FileTooLargeError",
    "GroundEquations",
    "GroundProgram",
    "GroundingReport",
    "Input",
    "KBError",
    "LexerToken",
    "Limits",
    "Location",
    "NotAFileError",
    "PredicateUse",
    "ProgramSummary",
    "RuleSource",
    "RuleSources",
    "Severity",
    "Signature",
    "SolveOptions",
    "Term",
    "atom_from_symbol",
    "atoms_from_json",
    "atoms_to_json",
    "build_in_process",
    "build_in_subprocess",
    "build_program",
    "check_stratified",
    "clingo_arguments",
    "count_identifiers",
    "did_you_mean",
    "evaluate_constant",
    "find_nearest_word",
    "find_syntax_errors",
    "format_pattern",
    "ground_statements",
    "ground_with_costs",
    "infer_argument_types",
    "is_inside",
    "keep_warm_process",
    "load_cached",
    "load_or_compute",
    "make_cache_key",
    "make_error",
    "make_kb_error",
    "make_warning",
    "pack_arrays",
    "pack_build",
    "parse_program",
    "parse_sources",
    "read_regular_file",
    "read_rewritten_statements",
    "read_sources",
    "read_statements",
    "report_grounding",
    "scan_text",
    "sort_diagnostics",
    "split_term",
    "store_cached",
    "string_value",
    "strong_components",
    "term_from_symbol",
    "tokenize",
    "unpack_arrays",
    "unpack_build",
    "work_in_process",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
