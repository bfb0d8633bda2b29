"""The three arenas: models and agents are run and evaluated on one record."""
