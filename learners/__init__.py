"""Neural learners: what proposes the pseudo-labels."""
