"""The building blocks of the Agentic Arena's pages."""
