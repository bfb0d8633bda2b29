"""The progress of runs in the terminal."""
