"""Every tool that is checked."""

from drift.npm_tools import NPM_TOOLS
from drift.pip_tools import PIP_TOOLS

TOOLS = (*NPM_TOOLS, *PIP_TOOLS)
"""In the order of the table."""
