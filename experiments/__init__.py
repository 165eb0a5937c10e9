"""Experiments: one module a table or a question, run by `abl-cards run`."""
