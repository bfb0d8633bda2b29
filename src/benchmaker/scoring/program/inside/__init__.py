"""Code that runs inside the sandbox; it needs only the standard library."""
