"""The engine: plans trials, sends requests, scores answers and stores the rows."""
