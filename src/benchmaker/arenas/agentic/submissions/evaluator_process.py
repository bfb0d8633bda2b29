"""Evaluation in a separate process, so that a server keeps answering.

The process reads requests from its standard input, one JSON document per line, and answers each
with one line. It ends with its input, and thus with the process that started it.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from benchmaker.arenas.agentic.evaluation.evaluate import (
    EvaluationOptions,
    evaluate_submissions,
    with_pending_criteria,
)
from benchmaker.arenas.agentic.evaluation.rows import EvaluatedRow
from benchmaker.arenas.agentic.sessions.price_cache import KnownPrices
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.errors import Corrupt, StoreError
from benchmaker.record.submissions.submission import Submission
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Store
from benchmaker.store.home import Home
from benchmaker.structs import resolve_type

_NICER: Final = 5
_END_S: Final = 2.0


class EvaluationRequest(msgspec.Struct, frozen=True):
    """A request to evaluate, and whether a caller waits for the rows."""

    address: str
    home: str
    profile: dict[str, Any]
    ids: list[str]
    is_awaited: bool


class EvaluationReply(msgspec.Struct, frozen=True):
    """The rows, or the error; ``may_pass`` if a retry may succeed."""

    rows: list[EvaluatedRow] = []
    error: str = ""
    may_pass: bool = False


class EvaluatorProcess:
    """The evaluating process of one store, started on the first request."""

    def __init__(self, address: str | Path, home: Path) -> None:
        self._address, self._home = str(address), str(home)
        self._process: subprocess.Popen[bytes] | None = None

    def evaluate(
        self, profile: AgenticProfile, ids: Sequence[str], *, is_awaited: bool
    ) -> list[EvaluatedRow]:
        """Evaluate these together; return the rows if a caller waits.

        Raises:
            StoreError: a retry may succeed.
            RuntimeError: a retry would fail again.
        """
        request = EvaluationRequest(
            self._address, self._home, profile.model_dump(mode="json"), list(ids), is_awaited
        )
        answer = self._exchange(msgspec.json.encode(request))
        if not answer.error:
            return answer.rows
        if not answer.may_pass:
            raise RuntimeError(answer.error)
        self.end()  # and with it any lease that it could not release
        raise StoreError(answer.error)

    def end(self) -> None:
        """End it; unfinished work is repeated later."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _exchange(self, request: bytes) -> EvaluationReply:
        process = self._ensure_started()
        line = b""
        with suppress(OSError, ValueError):  # it is gone
            _pipe(process.stdin).write(request + b"\n")
            _pipe(process.stdin).flush()
            line = _pipe(process.stdout).readline()
        if not line.endswith(b"\n"):
            self.end()
            raise StoreError("the evaluation process has exited.")
        return msgspec.json.decode(line, type=resolve_type(EvaluationReply))

    def _ensure_started(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603  our own module
                [sys.executable, "-m", __spec__.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        return self._process


def _pipe(given: IO[bytes] | None) -> IO[bytes]:
    if given is None:
        raise OSError("no pipe")
    return given


def evaluate_together(
    store: Store,
    order: EvaluationOptions,
    submissions: Iterator[Submission],
    *,
    pricer: Pricer,
    is_awaited: bool,
    ids: Sequence[str],
) -> list[EvaluatedRow]:
    """Evaluate the submissions; returns their rows if a caller waits for them."""
    known, kept = frozenset(ids), list[EvaluatedRow]()

    def keep(rows: tuple[EvaluatedRow, ...]) -> None:
        kept.extend(with_pending_criteria(store, rows))

    evaluate_submissions(
        store, order, submissions, keep if is_awaited else None, None, pricer=pricer, ids=known
    )
    return kept


def existing_submissions(store: Store, ids: Sequence[str]) -> Iterator[Submission]:
    """Yield the submissions as stored; deleted ones are skipped."""
    for one in ids:
        try:
            yield store.submission(one)
        except StoreError as error:
            if not error.message.startswith("there is no submission"):
                raise


def may_pass(error: Exception) -> bool:
    """True if a retry may succeed; damage is permanent."""
    return isinstance(error, StoreError) and not isinstance(error, Corrupt)


def _evaluate(
    request: EvaluationRequest, opened: Callable[[str], Store], prices: KnownPrices
) -> EvaluationReply:
    try:
        store = opened(request.address)
        profile = AgenticProfile.model_validate(request.profile)
        order = EvaluationOptions(profile=profile, place=Home(Path(request.home)))
        pricer = Pricer(prices.prices(), now=order.clock())
        made = evaluate_together(
            store,
            order,
            existing_submissions(store, request.ids),
            pricer=pricer,
            is_awaited=request.is_awaited,
            ids=request.ids,
        )
    except Exception as error:  # noqa: BLE001  the caller gets every error
        return EvaluationReply(error=f"{type(error).__name__}: {error}", may_pass=may_pass(error))
    return EvaluationReply(made)


def _main() -> None:
    os.nice(_NICER)
    stores: dict[str, Store] = {}
    prices: dict[str, KnownPrices] = {}

    def open_cached(address: str) -> Store:
        if address not in stores:
            stores[address] = Store.open(address)
        return stores[address]

    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin.buffer:
        request = msgspec.json.decode(line, type=resolve_type(EvaluationRequest))
        known = prices.setdefault(request.home, KnownPrices(Path(request.home)))
        answer = _evaluate(request, open_cached, known)
        answers.buffer.write(msgspec.json.encode(answer) + b"\n")
        answers.buffer.flush()


if __name__ == "__main__":
    _main()
