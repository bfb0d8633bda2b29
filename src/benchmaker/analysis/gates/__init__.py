"""Gates: decide if a run's scores dropped below those of a baseline."""
