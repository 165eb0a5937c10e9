"""The joint abduction loop: self-play, abduction, and learning from what was abduced (algorithm 2 of the paper)."""
