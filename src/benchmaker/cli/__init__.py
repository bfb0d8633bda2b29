"""The command line: one module a command, loaded when it is asked for."""

from benchmaker.cli.main import main

__all__ = ["main"]
