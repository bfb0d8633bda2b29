"""A server that does nothing: one compressed body for every request, over the same HTTP server.

``web_load.py`` sends it the same requests, so that the rest of the workbench's time is known.
"""

import argparse
import gzip
import secrets
from typing import Final

import uvicorn
from starlette.types import Receive, Scope, Send

from benchmaker.cli.server.serving import listen_on
from benchmaker.web.connections import Connection

PACKED_BYTES: Final = 7_000
"""About the size of a board's page, compressed."""

_FIELDS: Final = 9
"""Headers of an answer of the workbench, beside type, length and encoding."""


class BarePages:
    """The application."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._headers = [
            (b"content-type", b"text/html; charset=utf-8"),
            (b"content-length", str(len(packed)).encode()),
            (b"content-encoding", b"gzip"),
            *((f"x-field-{at}".encode(), b"same-origin") for at in range(_FIELDS)),
        ]

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        assert scope["type"] == "http"  # noqa: S101  there is no other
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._packed})


def main() -> None:
    """Print the address, and serve until the process ends."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    app = BarePages(gzip.compress(secrets.token_bytes(PACKED_BYTES)))
    with listen_on("127.0.0.1", 0) as bound:
        print(f"http://127.0.0.1:{bound.getsockname()[1]}", flush=True)
        config = uvicorn.Config(
            app, http=Connection, log_config=None, access_log=False, lifespan="off"
        )
        uvicorn.Server(config).run(sockets=[bound])


if __name__ == "__main__":
    main()
