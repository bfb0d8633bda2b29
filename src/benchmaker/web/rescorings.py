"""Runs that are being scored anew, each in a thread of its own."""

import asyncio
import logging
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from fastapi import Depends, Request

from benchmaker.arenas.standard import arescore
from benchmaker.errors import BenchmakerError, Conflict
from benchmaker.web.workbench import Workbench

_LOG = logging.getLogger("benchmaker.web")
_SOON_S = 0.8

State = Literal["running", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class Rescoring:
    """How scoring a run or a series anew stands; ``message`` says what went wrong, or was left."""

    asked: str
    state: State = "running"
    message: str = ""
    hint: str = ""


@dataclass(slots=True)
class Rescorings:
    """The last re-scoring of each run or series, as long as this server runs."""

    _states: dict[str, Rescoring] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def state(self, name: str) -> Rescoring | None:
        """How it stands; None where there was none."""
        with self._lock:
            return self._states.get(name)

    def start(self, bench: Workbench, name: str, asked: str, **how: Any) -> None:  # noqa: ANN401  handed on by name
        """Begin, and wait a moment: short runs are done by then.

        Raises:
            Conflict: it is being scored anew already.
        """
        with self._lock:
            known = self._states.get(name)
            if known is not None and known.state == "running":
                hint = "Wait until it is done."
                raise Conflict("This is being scored anew already.", hint=hint)
            self._states[name] = Rescoring(asked)
        worker = threading.Thread(target=self._work, args=(bench, name, how), daemon=True)
        worker.start()
        worker.join(_SOON_S)

    def _work(self, bench: Workbench, name: str, how: Mapping[str, Any]) -> None:
        try:
            done = asyncio.run(
                arescore(
                    name,
                    home=bench.home,
                    store=bench.settings.store_url,
                    environ=bench.settings.environ,
                    **how,
                )
            )
        except BenchmakerError as exc:
            self._end(name, "failed", exc.message, exc.hint)
        except Exception:  # noqa: BLE001  a plug-in may raise anything; it ends this re-scoring alone
            reference = secrets.token_hex(4)
            _LOG.exception("reference %s, scoring %s anew", reference, name)
            hint = f"The server's log has the details under reference {reference}."
            self._end(name, "failed", "Something unexpected failed.", hint)
        else:
            left = "Judges were not asked to the end: " if done.halted else ""
            self._end(name, "finished", f"{left}{done.halted}" if left else "")

    def _end(self, name: str, state: State, message: str, hint: str = "") -> None:
        with self._lock:
            known = self._states[name]
            self._states[name] = replace(known, state=state, message=message, hint=hint)


def _of(request: Request) -> Rescorings:
    state = request.app.state
    if not hasattr(state, "rescorings"):
        state.rescorings = Rescorings()
    made: Rescorings = state.rescorings
    return made


Jobs = Annotated[Rescorings, Depends(_of)]
"""The re-scorings, as an argument of a page."""
