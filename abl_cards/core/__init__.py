"""Infrastructure without card games: threads, random streams, settings, files, JSON lines, seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core.lazy import lazy_exports

if TYPE_CHECKING:
    from abl_cards.core.archive import ArchiveError, pack_archive, read_archive, unpack_archive, write_archive
    from abl_cards.core.arguments import (
        check_flag,
        check_functions,
        check_integer,
        check_list,
        check_number,
        check_path,
        check_seed,
        is_one_of,
    )
    from abl_cards.core.arrays import as_read_only, to_plain_json, unique_rows
    from abl_cards.core.atomic_files import (
        FolderLockedError,
        atomic_write,
        attribute_os_errors,
        lock_folder,
        make_folder,
        resolve_output_path,
        write_text,
    )
    from abl_cards.core.cpu_budget import CpuBudget, CpuBudgetExceeded, check_budget, get_budget, shared_budget
    from abl_cards.core.csv_tables import column_names, flatten, import_pandas, rows_to_frame, write_csv
    from abl_cards.core.errors import ErrorCode, GameError, TooManyMovesError
    from abl_cards.core.extras import missing_library_message, require_extra
    from abl_cards.core.gc_control import pause_gc, reduce_gc
    from abl_cards.core.hosts import is_hostname, report_exhaustion
    from abl_cards.core.jit import borrow_arrays, copy_values, device_function, kernel
    from abl_cards.core.jsonl import (
        NumberedLine,
        is_line_too_long,
        is_truncated_json,
        line_too_long_message,
        open_maybe_gzip,
        parse_json,
        parse_json_line,
        read_json_file,
        read_line_batches,
    )
    from abl_cards.core.languages import LANGUAGES, check_language, format_count, join_texts, texts_by_language
    from abl_cards.core.parallel import (
        MIN_LIGHT_ITEMS_PER_THREAD,
        NUM_THREADS,
        limit_thread_spinning,
        map_ranges,
        single_threaded,
    )
    from abl_cards.core.paths import DATA, PACKAGE, PROJECT, read_working_directory
    from abl_cards.core.platforms import require_posix
    from abl_cards.core.plot_drawing import COLUMN_WIDTH, PAGE_WIDTH, save_figure
    from abl_cards.core.plots import (
        INSTALL_COMMAND,
        Axis,
        ErrorBarPlot,
        LinePlot,
        MatrixPlot,
        Plot,
        check_plot_file,
        has_matplotlib,
        plot_caption,
        plot_from_json,
        share_axis,
    )
    from abl_cards.core.result_file import (
        add_former_fingerprint,
        append_result,
        find_stored_inputs,
        former_fingerprint,
        read_results,
        result_key,
    )
    from abl_cards.core.rng import derive_key, scale_to_range, scale_to_range_array, splitmix64, splitmix64_array
    from abl_cards.core.seeds import SECRET_SEED_BITS, format_seed, parse_seed, secret_seed, seed64
    from abl_cards.core.settings import (
        SEED_RANGE,
        UNIT_INTERVAL,
        FloatRange,
        SettingError,
        apply_settings,
        check_settings,
        current_keys,
        describe_settings,
        format_value,
        setting,
        settings_to_json,
    )
    from abl_cards.core.stdio import (
        STDOUT_NAME,
        ensure_complete_writes,
        escape_controls,
        name_stdout_errors,
        open_standard_streams,
    )
    from abl_cards.core.user_code import PYTHON_SUFFIX, add_cwd_to_path, call_part, call_user_code, import_file

__all__ = [
    "COLUMN_WIDTH",
    "DATA",
    "INSTALL_COMMAND",
    "LANGUAGES",
    "MIN_LIGHT_ITEMS_PER_THREAD",
    "NUM_THREADS",
    "PACKAGE",
    "PAGE_WIDTH",
    "PROJECT",
    "PYTHON_SUFFIX",
    "SECRET_SEED_BITS",
    "SEED_RANGE",
    "STDOUT_NAME",
    "UNIT_INTERVAL",
    "ArchiveError",
    "Axis",
    "CpuBudget",
    "CpuBudgetExceeded",
    "ErrorBarPlot",
    "ErrorCode",
    "FloatRange",
    "FolderLockedError",
    "GameError",
    "LinePlot",
    "MatrixPlot",
    "NumberedLine",
    "Plot",
    "SettingError",
    "TooManyMovesError",
    "add_cwd_to_path",
    "add_former_fingerprint",
    "append_result",
    "apply_settings",
    "as_read_only",
    "atomic_write",
    "attribute_os_errors",
    "borrow_arrays",
    "call_part",
    "call_user_code",
    "check_budget",
    "check_flag",
    "check_functions",
    "check_integer",
    "check_language",
    "check_list",
    "check_number",
    "check_path",
    "check_plot_file",
    "check_seed",
    "check_settings",
    "column_names",
    "copy_values",
    "current_keys",
    "derive_key",
    "describe_settings",
    "device_function",
    "ensure_complete_writes",
    "escape_controls",
    "find_stored_inputs",
    "flatten",
    "format_count",
    "format_seed",
    "format_value",
    "former_fingerprint",
    "get_budget",
    "has_matplotlib",
    "import_file",
    "import_pandas",
    "is_hostname",
    "is_line_too_long",
    "is_one_of",
    "is_truncated_json",
    "join_texts",
    "kernel",
    "lazy_exports",
    "limit_thread_spinning",
    "line_too_long_message",
    "lock_folder",
    "make_folder",
    "map_ranges",
    "missing_library_message",
    "name_stdout_errors",
    "open_maybe_gzip",
    "open_standard_streams",
    "pack_archive",
    "parse_json",
    "parse_json_line",
    "parse_seed",
    "pause_gc",
    "plot_caption",
    "plot_from_json",
    "read_archive",
    "read_json_file",
    "read_line_batches",
    "read_results",
    "read_working_directory",
    "reduce_gc",
    "report_exhaustion",
    "require_extra",
    "require_posix",
    "resolve_output_path",
    "result_key",
    "rows_to_frame",
    "save_figure",
    "scale_to_range",
    "scale_to_range_array",
    "secret_seed",
    "seed64",
    "setting",
    "settings_to_json",
    "share_axis",
    "shared_budget",
    "single_threaded",
    "splitmix64",
    "splitmix64_array",
    "texts_by_language",
    "to_plain_json",
    "unique_rows",
    "unpack_archive",
    "write_archive",
    "write_csv",
    "write_text",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
