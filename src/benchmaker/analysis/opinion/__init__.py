"""A second opinion on another tool's figure: faults in its rows, each with its effect."""
