"""A gate against a baseline as text, Markdown, JUnit XML and workflow commands."""
