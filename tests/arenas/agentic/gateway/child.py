"""Gateways in processes of their own, to be killed.

    python -m tests.arenas.agentic.gateway.child STORE HOME URL WIRE

For each line of its input it forks one, which writes its process id, socket and token, and serves.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from benchmaker.arenas.agentic.gateway.gateway import open_gateway
from benchmaker.record.agent_trial import Wire
from benchmaker.store import Store
from tests.arenas.agentic.gateway.upstream import MODELS, SERIES, a_key, environ


async def serve(path: str, home: str, url: str, wire: str) -> None:
    model = MODELS[Wire(wire)]
    place = {"environ": environ(url), "home": Path(home)}
    with Store.open(path) as store:
        async with open_gateway(store, [model], series=SERIES, **place) as gateway:
            grant = gateway.grant(a_key(), model)
            said = json.dumps([os.getpid(), str(grant.socket), grant.token])
            os.write(1, f"{said}\n".encode())
            await asyncio.Event().wait()


def main() -> None:
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            asyncio.run(serve(*sys.argv[1:]))
            os._exit(0)
        os.waitpid(child, 0)
        os.write(1, b"killed\n")


if __name__ == "__main__":
    main()
