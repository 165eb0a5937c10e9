"""The platform of the Chinese Guandan contest: its messages, its records, and its tables as those of the engine."""
