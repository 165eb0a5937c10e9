"""Work on several machines, by Ray: training, matches, experiments. Nothing else of ours knows it (docs/cluster.md)."""
