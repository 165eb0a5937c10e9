"""Library of editors of rule files: symbols, completion, diagnostics, renaming, drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.rulelab.editor.case_runner import find_failing_cases, find_invalid_lines, find_surviving_edits
    from abl_cards.rulelab.editor.comparison import (
        MAX_PINNED,
        PinnedPosition,
        compare_positions,
        find_smallest_difference,
        sample_states,
    )
    from abl_cards.rulelab.editor.completion import (
        DIRECTIVE,
        MAX_COMPLETIONS,
        PREDICATE,
        VALUE,
        VARIABLE,
        Suggestion,
        hover_text,
        suggest_completions,
    )
    from abl_cards.rulelab.editor.copying import UnknownRuleFile, copy_game, make_variant
    from abl_cards.rulelab.editor.describe import describe_preference, describe_rules, describe_score
    from abl_cards.rulelab.editor.describe_plays import describe_shape
    from abl_cards.rulelab.editor.diagnostics import (
        check_file_text,
        check_folder,
        display_location,
        editor_time_limit,
        is_error,
    )
    from abl_cards.rulelab.editor.draft import MAX_DRAFT_FILES, RuleDraft, own_texts
    from abl_cards.rulelab.editor.export import export_folder, export_zip
    from abl_cards.rulelab.editor.project_index import (
        FileOccurrence,
        ProjectIndex,
        SourceFile,
        Symbol,
        find_rule_folder,
    )
    from abl_cards.rulelab.editor.renaming import find_renameable, rename_in_cases, rename_symbol
    from abl_cards.rulelab.editor.reweighting import (
        ablate_preferences,
        compare_choice,
        list_weights,
        match_original,
        reweight_preferences,
    )
    from abl_cards.rulelab.editor.symbols import DEFINING_ROLES
    from abl_cards.rulelab.editor.tokens import SourceText
    from abl_cards.rulelab.editor.weight_edits import write_weights

__all__ = [
    "DEFINING_ROLES",
    "DIRECTIVE",
    "MAX_COMPLETIONS",
    "MAX_DRAFT_FILES",
    "MAX_PINNED",
    "PREDICATE",
    "VALUE",
    "VARIABLE",
    "FileOccurrence",
    "PinnedPosition",
    "ProjectIndex",
    "RuleDraft",
    "SourceFile",
    "SourceText",
    "Suggestion",
    "Symbol",
    "UnknownRuleFile",
    "ablate_preferences",
    "check_file_text",
    "check_folder",
    "compare_choice",
    "compare_positions",
    "copy_game",
    "describe_preference",
    "describe_rules",
    "describe_score",
    "describe_shape",
    "display_location",
    "editor_time_limit",
    "export_folder",
    "export_zip",
    "find_failing_cases",
    "find_invalid_lines",
    "find_renameable",
    "find_rule_folder",
    "find_smallest_difference",
    "find_surviving_edits",
    "hover_text",
    "is_error",
    "list_weights",
    "make_variant",
    "match_original",
    "own_texts",
    "rename_in_cases",
    "rename_symbol",
    "reweight_preferences",
    "sample_states",
    "suggest_completions",
    "write_weights",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
