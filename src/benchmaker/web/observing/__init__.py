"""What operators see of a server: request ids, a line for each request, metrics, health."""

from benchmaker.web.observing.requests import Observed, request_id

__all__ = ["Observed", "request_id"]
