"""What a kept store file holds of the Code Arena."""

from ast import literal_eval

import msgspec

from benchmaker.record import (
    Artifact,
    ArtifactKind,
    CodeFile,
    ProbeOutcome,
    ProbeReport,
    Shot,
    TrialKey,
)
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering, VisualMatch
from benchmaker.record.vote import Vote, VoteOutcome
from benchmaker.store import Store
from benchmaker.store.runs import renders

RUN, MODEL = "20250101-run1", "openai/gpt-x"
PICTURE = "7" * 64
ARTIFACT = Artifact(
    kind=ArtifactKind.HTML,
    entry="index.html",
    files=(CodeFile(path="index.html", language="html", text="<p>é \x00", spans=((0, 5),)),),
    flags=("no_fence",),
    sha256="e" * 64,
)
RENDERING = Rendering(
    key="5" * 64,
    content="6" * 64,
    place="Chromium 156, flags",
    artifact_sha=ARTIFACT.sha256,
    report=ProbeReport(
        sha="abc",
        outcome=ProbeOutcome.RENDERED,
        version="1",
        title="half \ud800",
        overflow={"375": True},
        screenshots=(Shot(viewport=375, width=375, height=667, sha256=PICTURE),),
    ),
    match=VisualMatch(blocks=0.5, colours=1.0, ssim=0.25, overall=0.75, reference="8" * 64),
    took_s=1.5,
)
KEY = TrialKey(RUN, MODEL, "odd \x00")
EMPTY = TrialKey(RUN, MODEL, "sum")
NOTHING = PreparedAnswer(
    artifact=Artifact(kind=ArtifactKind.NONE, reason="no code", sha256="0" * 64)
)
VOTE = Vote(
    id="v-20250101-fixture",
    run_id=RUN,
    case_id="odd \x00",
    model_a="local/llama é",
    model_b=MODEL,
    left=MODEL,
    outcome=VoteOutcome.BOTH_BAD,
    actor="ann é",
    ms_on_page=4000,
    viewports_seen=(375, 1440),
    at="2025-01-01T00:00:00.000Z",
)


_KINDS = {"Prepared": PreparedAnswer, "PreparedAnswer": PreparedAnswer, "Vote": Vote}
"""The classes by their names now and in older files."""


def fill(store: Store) -> None:
    """Put something into every table of the arena."""
    store.renders.put_rendering(RENDERING, {PICTURE: renders.Blob("image/png", b"\x89PNG\0")})
    store.renders.put_artifact(KEY, PreparedAnswer(artifact=ARTIFACT, rendering=RENDERING))
    store.renders.put_artifact(EMPTY, NOTHING)
    store.votes.add(VOTE)
    changed = msgspec.structs.replace(VOTE, id="v-20250101-changed", outcome=VoteOutcome.A)
    store.votes.add(changed, changes=True)


def held(store: Store) -> list[str]:
    """What a reader finds, each value with its kind, in a form that keeps what JSON lacks."""
    prepared = [it for _, it in store.renders.each_prepared(RUN)]
    given = store.votes.read([RUN], with_undone=True)
    told = [f"{type(it).__name__} {msgspec.to_builtins(it)!a}" for it in (*prepared, *given)]
    if not prepared:
        return told
    blob = store.renders.find_blob(PICTURE)
    return [*told, f"Blob {(blob.type, blob.body)!a}"]


def value(told: str) -> object:
    """The value behind such a text; when a vote was taken back is not compared."""
    kind, _, text = told.partition(" ")
    if kind == "Blob":
        return literal_eval(text)
    read = msgspec.convert(literal_eval(text), _KINDS[kind])
    is_undone = isinstance(read, Vote) and read.undone_at is not None
    return msgspec.structs.replace(read, undone_at="then") if is_undone else read
