"""Play matches on duplicate deals; write, read, replay and review records of games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.matches.intervals import (
        Z_975,
        effective_sample_size,
        format_interval,
        interval_error,
        mean_interval,
        share_interval,
        wilson_interval,
    )
    from abl_cards.matches.match_runner import (
        MAX_PARALLEL_GAMES,
        compute_seatings,
        derive_decision_keys,
        derive_match_keys,
        merge_shards,
        play_match,
        play_shard,
    )
    from abl_cards.matches.move_rollouts import ReviewConfig, evaluate_moves
    from abl_cards.matches.ratings import PairResult, Rating, RatingLadder, fit_ratings
    from abl_cards.matches.record_review import grade_move, review, review_record, summarise_seats
    from abl_cards.matches.recorder import RecordWriter, WriteRecord, open_record_file
    from abl_cards.matches.records import (
        data_folder,
        find_contest_records,
        find_held_out,
        find_profile,
        match_indices,
        normalise_record,
        normalise_records,
        read_file_profile,
        read_numbered_records,
        read_records,
        read_valid_records,
        require_rereadable,
        sample_records_path,
        skip_blank_lines,
        write_records,
    )
    from abl_cards.matches.replay import FileReplay, replay_confirmed, replay_file
    from abl_cards.matches.results import MatchResult
    from abl_cards.matches.review_results import EvaluatedMove, RecordReview, ReviewedDecision, SeatSummary
    from abl_cards.matches.sampled_positions import (
        collect_situations,
        play_baseline_matches,
        sample_from_records,
        sample_positions,
    )
    from abl_cards.matches.seed_intervals import (
        SEED_METHOD,
        SeedEstimate,
        combine_seeds,
        describe_coverage,
        paired_test,
    )
    from abl_cards.matches.shard import MatchShard

__all__ = [
    "MAX_PARALLEL_GAMES",
    "SEED_METHOD",
    "Z_975",
    "EvaluatedMove",
    "FileReplay",
    "MatchResult",
    "MatchShard",
    "PairResult",
    "Rating",
    "RatingLadder",
    "RecordReview",
    "RecordWriter",
    "ReviewConfig",
    "ReviewedDecision",
    "SeatSummary",
    "SeedEstimate",
    "WriteRecord",
    "collect_situations",
    "combine_seeds",
    "compute_seatings",
    "data_folder",
    "derive_decision_keys",
    "derive_match_keys",
    "describe_coverage",
    "effective_sample_size",
    "evaluate_moves",
    "find_contest_records",
    "find_held_out",
    "find_profile",
    "fit_ratings",
    "format_interval",
    "grade_move",
    "interval_error",
    "match_indices",
    "mean_interval",
    "merge_shards",
    "normalise_record",
    "normalise_records",
    "open_record_file",
    "paired_test",
    "play_baseline_matches",
    "play_match",
    "play_shard",
    "read_file_profile",
    "read_numbered_records",
    "read_records",
    "read_valid_records",
    "replay_confirmed",
    "replay_file",
    "require_rereadable",
    "review",
    "review_record",
    "sample_from_records",
    "sample_positions",
    "sample_records_path",
    "share_interval",
    "skip_blank_lines",
    "summarise_seats",
    "wilson_interval",
    "write_records",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
