"""Tables of results, each declared once: means, groups, comparisons, ranks and boards."""
