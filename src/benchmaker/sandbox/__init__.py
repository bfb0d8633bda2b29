"""Running what is not trusted, within limits."""

from benchmaker.sandbox.timed import TimedWorker

__all__ = ["TimedWorker"]
