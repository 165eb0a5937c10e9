"""Tables of others, and tables where others sit down: protocols, bots, records."""
