"""Tables and their columns: terminal, CSV, JSON Lines, Markdown."""
