"""The arenas: ways to put models and agents to the test, all on one record."""
