"""The data folder with its results and store."""

from benchmaker.store.home import STORE_FILE, Home

__all__ = ["STORE_FILE", "Home"]
