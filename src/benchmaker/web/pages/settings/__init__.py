"""Pages of settings: endpoints, prices, profiles."""
