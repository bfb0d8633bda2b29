"""A spreadsheet without a screen."""


class Sheet:
    """Cells by name, each with a text; formulas begin with ``=``."""

    def set(self, cell, text):
        """Write a text into a cell; ValueError when there is no such cell."""
        raise NotImplementedError

    def get(self, cell):
        """The value of a cell: a float, a text, or None; ValueError when there is no such cell."""
        raise NotImplementedError

    @property
    def computed(self):
        """How many times a formula has been computed so far."""
        raise NotImplementedError
