"""Telling circuits what they ask: inputs as columns of numbers, who knows which, and how they are filled."""
