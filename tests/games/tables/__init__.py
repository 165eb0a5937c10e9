"""Tests of playing by a folder of rules."""
