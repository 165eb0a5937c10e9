"""Tests of the Guandan engine and its rule files."""
