"""Pages on which a run is set up and watched."""
