"""Tools for authors of rules: tests, comparison, verification, editor and language server."""
