"""Tests of the test tools for rule folders."""
