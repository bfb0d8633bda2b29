"""The parts of reading harbor's trials."""
