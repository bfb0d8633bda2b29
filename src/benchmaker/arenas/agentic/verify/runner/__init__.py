"""What is handed into the sandbox and runs there; it needs the standard library alone."""
