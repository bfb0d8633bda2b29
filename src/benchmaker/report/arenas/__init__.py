"""Reports of the Code and the Agentic Arena."""
