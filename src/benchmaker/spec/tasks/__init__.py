"""Tasks of the Agentic Arena, their criteria, and scoring profiles."""
