"""Descriptions of games: the facts of a rule folder, checked, numbered and converted to arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.games.description.argument_checks import check_arguments
    from abl_cards.games.description.argument_sorts import ANY
    from abl_cards.games.description.auxiliary_rules import SPLIT_RULES, STRENGTH_RULES, load_auxiliary_rules
    from abl_cards.games.description.card_codes import (
        CardCodes,
        Cards,
        cards_from_counts,
        counts_from_cards,
        read_card_codes,
    )
    from abl_cards.games.description.cell_reader import build_default_cells, read_cells
    from abl_cards.games.description.cells import Cells
    from abl_cards.games.description.circuit_queries import ArrayQuery, atom_rows, thermometer, with_outputs
    from abl_cards.games.description.draw_limits import require_countable
    from abl_cards.games.description.effect_checks import find_ineffective_statements
    from abl_cards.games.description.fact_arguments import (
        arguments,
        functor,
        generalise_kind,
        read_mapping,
        require_int,
    )
    from abl_cards.games.description.fact_schema import PREDICATE_SORTS
    from abl_cards.games.description.fluents import (
        COUNTER,
        MAX_COUNT,
        NO_VALUE,
        SET_VALUED,
        SINGLE_VALUED,
        Fluent,
        Fluents,
        Terms,
        add_count_argument,
        explain_unknown_fluent,
        fluents_by_name,
        read_fluent_types,
        read_fluents,
    )
    from abl_cards.games.description.folder import Folder, find_fluent_declarations
    from abl_cards.games.description.form_arrays import (
        MIXED,
        NO_INDEX,
        PLAIN,
        SUITED,
        TAILED,
        FormArrays,
        FormBlocks,
        build_form_arrays,
        find_rank_cells,
    )
    from abl_cards.games.description.form_reader import read_forms
    from abl_cards.games.description.forms import MAX_GROUPS, PASS_TERM, CardGroup, Form, Forms
    from abl_cards.games.description.input_checks import find_wrong_inputs
    from abl_cards.games.description.input_schema import (
        AT_LEAST,
        BIT,
        EQUAL,
        EVENTS,
        SHOWN_BITS,
        ColumnTest,
        ColumnWriter,
        InputSchema,
        RuleInput,
    )
    from abl_cards.games.description.inputs import (
        DRAWS_SIGNATURE,
        GROUPS,
        INPUTS,
        STATE_NUMBERS,
        TAKES_SIGNATURE,
        find_test,
        group_widths,
        referee_groups,
        seat_groups,
    )
    from abl_cards.games.description.known_names import CHECKED_SORTS, OBSERVATION_PARTS, KnownNames, read_known_names
    from abl_cards.games.description.labels import number_terms, read_labels
    from abl_cards.games.description.loading import (
        ENGINE_SIGNATURES,
        add_location,
        count_named_arguments,
        find_wrong_arities,
        load_game_knowledge,
    )
    from abl_cards.games.description.open_rules import OpenRules
    from abl_cards.games.description.order_contexts import Contexts, compute_fluent_inputs, find_contexts
    from abl_cards.games.description.pack import WILD, Pack, parse_rank_and_suit, read_pack
    from abl_cards.games.description.platforms import platform_attribute
    from abl_cards.games.description.play_names import (
        PASS_NAME,
        SUIT_SYMBOLS,
        PlayName,
        has_chinese,
        label_text,
        match_play_names,
        move_text,
    )
    from abl_cards.games.description.queries import (
        HAND_OUTPUTS,
        KNOWS_ASIDE,
        LEFT_OVER_GROUP,
        QUERY_SPECS,
        find_read_location,
        find_unsupplied_inputs,
    )
    from abl_cards.games.description.shelf_names import list_shelf_names
    from abl_cards.games.description.show_checks import BY_SUIT, FINISH, SHOW_PREDICATES
    from abl_cards.games.description.show_rules import (
        ScoreBar,
        ShowReport,
        ShowRules,
        check_show_rules,
        read_show_rules,
    )
    from abl_cards.games.description.shown_fluents import (
        OF_SEAT,
        OF_TABLE,
        OF_TEAM,
        ShownCard,
        fluent_owner,
        is_number,
        shown_cards,
        value_owner,
    )
    from abl_cards.games.description.source_origins import SourceOrigins
    from abl_cards.games.description.unknown_names import find_similar_head, suggest_similar_predicate
    from abl_cards.games.description.validation_cache import (
        cached_number,
        is_known_valid,
        is_known_warning_free,
        store_valid,
    )
    from abl_cards.games.description.variants import (
        AUXILIARY_DIR,
        COMMON_DIR,
        KB_ROOT,
        SHOW_FILE,
        VARIANT_FILE,
        parse_files,
        resolve_layers,
    )

__all__ = [
    "ANY",
    "AT_LEAST",
    "AUXILIARY_DIR",
    "BIT",
    "BY_SUIT",
    "CHECKED_SORTS",
    "COMMON_DIR",
    "COUNTER",
    "DRAWS_SIGNATURE",
    "ENGINE_SIGNATURES",
    "EQUAL",
    "EVENTS",
    "FINISH",
    "GROUPS",
    "HAND_OUTPUTS",
    "INPUTS",
    "KB_ROOT",
    "KNOWS_ASIDE",
    "LEFT_OVER_GROUP",
    "MAX_COUNT",
    "MAX_GROUPS",
    "MIXED",
    "NO_INDEX",
    "NO_VALUE",
    "OBSERVATION_PARTS",
    "OF_SEAT",
    "OF_TABLE",
    "OF_TEAM",
    "PASS_NAME",
    "PASS_TERM",
    "PLAIN",
    "PREDICATE_SORTS",
    "QUERY_SPECS",
    "SET_VALUED",
    "SHOWN_BITS",
    "SHOW_FILE",
    "SHOW_PREDICATES",
    "SINGLE_VALUED",
    "SPLIT_RULES",
    "STATE_NUMBERS",
    "STRENGTH_RULES",
    "SUITED",
    "SUIT_SYMBOLS",
    "TAILED",
    "TAKES_SIGNATURE",
    "VARIANT_FILE",
    "WILD",
    "ArrayQuery",
    "CardCodes",
    "CardGroup",
    "Cards",
    "Cells",
    "ColumnTest",
    "ColumnWriter",
    "Contexts",
    "Fluent",
    "Fluents",
    "Folder",
    "Form",
    "FormArrays",
    "FormBlocks",
    "Forms",
    "InputSchema",
    "KnownNames",
    "OpenRules",
    "Pack",
    "PlayName",
    "RuleInput",
    "ScoreBar",
    "ShowReport",
    "ShowRules",
    "ShownCard",
    "SourceOrigins",
    "Terms",
    "add_count_argument",
    "add_location",
    "arguments",
    "atom_rows",
    "build_default_cells",
    "build_form_arrays",
    "cached_number",
    "cards_from_counts",
    "check_arguments",
    "check_show_rules",
    "compute_fluent_inputs",
    "count_named_arguments",
    "counts_from_cards",
    "explain_unknown_fluent",
    "find_contexts",
    "find_fluent_declarations",
    "find_ineffective_statements",
    "find_rank_cells",
    "find_read_location",
    "find_similar_head",
    "find_test",
    "find_unsupplied_inputs",
    "find_wrong_arities",
    "find_wrong_inputs",
    "fluent_owner",
    "fluents_by_name",
    "functor",
    "generalise_kind",
    "group_widths",
    "has_chinese",
    "is_known_valid",
    "is_known_warning_free",
    "is_number",
    "label_text",
    "list_shelf_names",
    "load_auxiliary_rules",
    "load_game_knowledge",
    "match_play_names",
    "move_text",
    "number_terms",
    "parse_files",
    "parse_rank_and_suit",
    "platform_attribute",
    "read_card_codes",
    "read_cells",
    "read_fluent_types",
    "read_fluents",
    "read_forms",
    "read_known_names",
    "read_labels",
    "read_mapping",
    "read_pack",
    "read_show_rules",
    "referee_groups",
    "require_countable",
    "require_int",
    "resolve_layers",
    "seat_groups",
    "shown_cards",
    "store_valid",
    "suggest_similar_predicate",
    "thermometer",
    "value_owner",
    "with_outputs",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
