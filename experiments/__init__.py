"""Experiments: one module a table or a question, run by ``abl-cards run``.

A module that defines ``EXPERIMENT`` is one, under the module's own name; nothing else lists them.
"""
