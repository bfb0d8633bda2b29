"""What the pages of the Agentic Arena are made of."""
