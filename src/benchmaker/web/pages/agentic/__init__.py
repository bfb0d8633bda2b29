"""Pages of the Agentic Arena."""
