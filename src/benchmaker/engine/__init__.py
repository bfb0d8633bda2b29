"""The engine: a plan is worked off, each answer marked and written down, from here or again."""
