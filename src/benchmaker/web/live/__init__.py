"""Live pages of runs: their state, and the events that update open pages."""
