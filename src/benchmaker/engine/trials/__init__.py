"""One trial: its question, its answer, its score."""
