"""Generated pages under separate host names; no name answers for another's content."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from benchmaker.arenas.code.extract import extract_artifact, extract_so_far
from benchmaker.arenas.code.preview import Bundle, assemble, preview_headers, vendored_file
from benchmaker.errors import StoreError
from benchmaker.providers.live_text import AnswerKey
from benchmaker.record import Artifact, ArtifactKind, Trial
from benchmaker.web.code.preview_hosts import PreviewHost
from benchmaker.web.tickets import PreviewOf
from benchmaker.web.workbench import Workbench

_FOR_GOOD = "public, max-age=31536000, immutable"
_HTML = "text/html; charset=utf-8"
_KEPT = 64
_NO_ANSWER = "The model gave no answer: its requests failed."
_READABLE = ("GET", "HEAD")


class TwoNames:
    """Dispatches each request to the application of its host name."""

    def __init__(self, app: ASGIApp, *, previews: ASGIApp, preview_host: PreviewHost) -> None:
        self._app = app
        self._previews = previews
        self._host = preview_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the life of the server, which is the workbench's."""
        is_preview = scope["type"] == "http" and self._host.answers_to(
            Headers(scope=scope).get("host", "")
        )
        await (self._previews if is_preview else self._app)(scope, receive, send)


def create_previews(bench: Workbench) -> Starlette:
    """Create the application of the other name: pages by ticket, and bundled files.

    It sets no cookie and reads none; a ticket gives access to one page only.
    """
    names = [name for name in bench.settings.hosts if not name.startswith("[")]  # as policies want
    scheme = bench.settings.scheme
    framers = " ".join(f"{scheme}://{name}" for name in names) or "'none'"

    def headers_for(request: Request) -> Mapping[str, str]:
        return preview_headers(framers, f"{scheme}://{request.headers['host'].lower()}")

    async def serve_page(request: Request) -> Response:
        headers = headers_for(request)
        page = bench.tickets.find(request.path_params["ticket"])
        if page is None:
            return _not_found("There is no such preview. Reload the page that shows it.", headers)
        bundle = await run_in_threadpool(_bundle, bench, page)
        return _file(bundle, request.path_params["path"], headers)

    async def serve_vendored(request: Request) -> Response:
        return _vendored_file(request.path_params["path"], headers_for(request))

    return Starlette(
        routes=[
            Route("/p/{ticket}/{path:path}", serve_page, methods=_READABLE),
            Route("/v/{path:path}", serve_vendored, methods=_READABLE),
            Route("/{path:path}", _wrong_host, methods=_READABLE),
        ]
    )


def _bundle(root: Workbench, page: PreviewOf) -> Bundle:
    return bundle_of(root.of_team(page.team) if page.team else root, page)


def bundle_of(bench: Workbench, page: PreviewOf) -> Bundle:
    """Return the page of an answer: the recorded one, otherwise that of the text so far."""
    answer = answer_so_far(bench, page)
    if answer.state == "failed":
        return assemble(Artifact(kind=ArtifactKind.NONE, reason=_NO_ANSWER))
    return _assemble(answer.text, answer.state == "whole", page.mapping)


class AnswerSoFar(NamedTuple):
    """The text of an answer and its state; a ``failed`` one has no text, and gets none."""

    text: str
    state: Literal["waiting", "writing", "whole", "failed"]


def answer_so_far(bench: Workbench, page: PreviewOf) -> AnswerSoFar:
    """Return an answer as far as it is written."""
    return answer_of(bench, page, find_trial(bench, page))


def find_trial(bench: Workbench, page: PreviewOf) -> Trial | None:
    """Return the trial of a page; None before its answer is stored."""
    try:
        return bench.store.trial(page.run_id, page.model, page.case_id)
    except StoreError:
        return None


def answer_of(bench: Workbench, page: PreviewOf, trial: Trial | None) -> AnswerSoFar:
    """Return the answer of a trial; without one, as far as it is written."""
    if trial is None:
        text = _heard_text(bench, page)
        return AnswerSoFar(text, "writing" if text else "waiting")
    return AnswerSoFar(trial.text, "failed" if trial.completion is None else "whole")


def _heard_text(bench: Workbench, page: PreviewOf) -> str:
    run = bench.store.run(page.run_id)
    heard = bench.standard.heard.get(run.series_id or "") or bench.standard.heard.get(run.id)
    place = AnswerKey(run.number, page.case_id, page.model)
    return heard.text(place) or "" if heard else ""


@lru_cache(maxsize=_KEPT)
def _assemble(text: str, is_whole: bool, mapping: bool) -> Bundle:  # noqa: FBT001  a cache's key
    if is_whole:
        return assemble(extract_artifact(text), mapping=mapping)
    return assemble(replace(extract_so_far(text), reason=""), mapping=mapping)


def _file(bundle: Bundle, path: str, headers: Mapping[str, str]) -> Response:
    if not path:
        return Response(bundle.document, media_type=_HTML, headers=dict(headers))
    if path not in bundle.files:
        return _not_found("The answer has no such file.", headers)
    kind, body = bundle.files[path]
    return Response(body, headers={**headers, "content-type": kind})


def _vendored_file(path: str, headers: Mapping[str, str]) -> Response:
    try:
        kind, body = vendored_file(path)
    except KeyError:
        return _not_found("There is no such file.", headers)
    return Response(body, headers={**headers, "content-type": kind, "cache-control": _FOR_GOOD})


async def _wrong_host(_request: Request) -> Response:
    return Response(
        "This host serves model pages. Open the workbench at the address printed at startup.\n",
        421,
        media_type="text/plain",
    )


def _not_found(words: str, headers: Mapping[str, str]) -> Response:
    return Response(f"{words}\n", 404, media_type="text/plain", headers=dict(headers))
