"""The process behind the walls: the scripted model, and the tool that calls it.

``python -m drift.walled plan.json`` serves the model, runs the tool's commands one after the other,
stores the output of each, and records what was sent.
"""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmaker.arenas.agentic.running.scripted.model import Scripted
from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn
from benchmaker.arenas.agentic.running.scripted.server import serve_model
from benchmaker.sandbox.command import GATEWAY_PORT, GATEWAY_URL

PORT = GATEWAY_PORT
BASE = GATEWAY_URL
"""The address of the model, the only one that can be reached from behind the walls."""

V1 = f"{BASE}/v1"
"""Its address for tools that speak to OpenAI."""


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder = Path(sys.argv[1]).parent
    model = Scripted([_turn(it) for it in plan["turns"]], plan["calls"])
    with serve_model(model, PORT):
        codes = [_run(words, plan, folder, at) for at, words in enumerate(plan["commands"])]
    said: dict[str, Any] = {
        "sent": [asdict(it) for it in model.sent],
        "returned": model.returned,
        "unknown": model.unknown,
        "offers": model.offers,
        "codes": codes,
    }
    (folder / "sent.json").write_text(json.dumps(said), encoding="utf-8")


def _run(words: list[str], plan: dict[str, Any], folder: Path, at: int) -> int | None:
    """Run one command; the status, None where it took too long."""
    with (folder / f"out.{at}").open("wb") as out, (folder / f"err.{at}").open("wb") as err:
        try:
            return subprocess.run(
                words,
                env=plan["env"],
                cwd=plan["cwd"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                timeout=plan["timeout_s"],
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return None
        except OSError as exc:
            err.write(str(exc).encode())
            return -1


def _turn(data: dict[str, Any]) -> Turn:
    return Turn(**data | {"tokens": Tokens(**data["tokens"])})


if __name__ == "__main__":
    main()
