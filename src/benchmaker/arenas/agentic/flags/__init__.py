"""Rules that look for what an honest attempt doesn't do; each finding is a suspicion to review."""

from benchmaker.arenas.agentic.flags.rules import SOURCE, suspicions

__all__ = ["SOURCE", "suspicions"]
