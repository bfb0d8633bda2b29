"""Results of other tools: rows on their way into the store, and stored ones."""
