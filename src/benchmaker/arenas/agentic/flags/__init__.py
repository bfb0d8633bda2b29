"""Rules for signs of dishonest attempts; each finding is a suspicion to review."""

from benchmaker.arenas.agentic.flags.rules import SOURCE, suspicions

__all__ = ["SOURCE", "suspicions"]
