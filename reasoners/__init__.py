"""reasoners."""
