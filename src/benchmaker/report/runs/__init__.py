"""Reports of runs, comparisons and trends as text, Markdown and HTML."""
