"""Tests of what a folder tests itself with."""
