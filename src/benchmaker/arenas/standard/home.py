"""Where results are kept: the data folder and the store in it."""

from benchmaker.store.home import STORE_FILE, Home

__all__ = ["STORE_FILE", "Home"]
