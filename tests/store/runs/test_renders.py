import pytest

from benchmaker.errors import StoreError
from benchmaker.record import Artifact, ArtifactKind, CodeFile, ProbeOutcome, ProbeReport, Shot
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering
from benchmaker.store import Store
from benchmaker.store.runs.renders import Blob
from tests.store.filled import a_trial, add_run

ARTIFACT = Artifact(
    kind=ArtifactKind.HTML,
    entry="index.html",
    files=(CodeFile(path="index.html", language="html", text="é", spans=((3, 4),)),),
    sha256="a" * 64,
)


def a_rendering(key="k", sha256="s", **facts):
    report = ProbeReport(
        sha="a",
        outcome=ProbeOutcome.RENDERED,
        screenshots=(Shot(viewport=375, width=1, height=1, sha256=sha256),),
        **facts,
    )
    return Rendering(key=key, content=f"c{key}", place="here", artifact_sha="a", report=report)


@pytest.fixture
def store(address):
    with Store.open(address) as opened:
        add_run(opened)
        yield opened


KEY = a_trial(0).key


@pytest.mark.postgresql("no other test has its statements")
def test_what_was_prepared_is_read_back(store):
    ready = PreparedAnswer(artifact=ARTIFACT, rendering=a_rendering(title="\x00 \ud800"))
    store.renders.put_rendering(ready.rendering, {"s": Blob("image/png", b"\x00\xff")})
    store.renders.put_artifact(KEY, ready)
    assert store.renders.find_prepared(KEY) == ready
    assert store.renders.find_rendering("k") == ready.rendering
    assert store.renders.find_blob("s") == ("image/png", b"\x00\xff")
    assert dict(store.renders.each_prepared(KEY.run_id)) == {KEY: ready}


@pytest.mark.postgresql("its window function is sent by no other test")
def test_the_first_reports_of_runs_and_the_latest_pages_of_a_model_are_listed(store):
    keys = [a_trial(at).key for at in range(3)]
    for at, key in enumerate(keys):
        ready = PreparedAnswer(artifact=ARTIFACT, rendering=a_rendering(f"k{at}", title=str(at)))
        store.renders.put_rendering(ready.rendering)
        store.renders.put_artifact(key, ready)
    found = store.renders.first_reports([KEY.run_id, "no such run"], limit=2)
    assert {run: [it.title for it in reports] for run, reports in found.items()} == {
        KEY.run_id: ["0", "1"]
    }
    own = [key for key in keys if key.model == KEY.model][::-1]
    first, *rest = store.renders.pages_of_model(KEY.model, limit=len(keys))
    assert [it.trial for it in (first, *rest)] == own
    before = store.renders.pages_of_model(KEY.model, before=first.number, limit=len(keys))
    assert list(before) == rest
    assert store.renders.pages_of_model("no such model", limit=1) == ()
    every = store.renders.pages_after(KEY.run_id, 0)
    assert [it.trial for it in every] == keys
    assert store.renders.pages_after(KEY.run_id, every[0].number) == every[1:]
    assert store.renders.last_place(KEY.run_id) == every[-1].number
    assert store.renders.last_place("no such run") == 0


def test_nothing_is_found_where_nothing_was_prepared(store):
    assert store.renders.find_prepared(KEY) is None
    assert store.renders.find_rendering("k") is None
    with pytest.raises(StoreError, match="no file"):
        store.renders.find_blob("s")


def test_a_report_stays_the_first_of_its_key(store):
    first = a_rendering(title="first")
    store.renders.put_rendering(first)
    store.renders.put_rendering(a_rendering(title="second"))
    assert store.renders.find_rendering("k") == first


def test_an_answer_has_the_last_report(store):
    for key in ("k1", "k2"):
        ready = PreparedAnswer(artifact=ARTIFACT, rendering=a_rendering(key))
        store.renders.put_rendering(ready.rendering)
        store.renders.put_artifact(KEY, ready)
    assert store.renders.find_prepared(KEY).rendering.key == "k2"


def test_an_answer_without_code_has_no_report(store):
    ready = PreparedAnswer(artifact=Artifact(kind=ArtifactKind.NONE, reason="none"))
    store.renders.put_artifact(KEY, ready)
    assert store.renders.find_prepared(KEY) == ready


def test_an_unknown_run_is_refused(store):
    with pytest.raises(StoreError):
        store.renders.put_artifact(KEY._replace(run_id="?"), PreparedAnswer(artifact=ARTIFACT))


@pytest.mark.postgresql("no other test has its statements")
def test_vacuuming_drops_what_no_answer_has(store):
    for key, sha256 in (("k1", "s1"), ("k2", "s2")):
        files = {sha256: Blob("image/png", b"x")}
        store.renders.put_rendering(a_rendering(key, sha256), files)
    store.renders.put_artifact(
        KEY, PreparedAnswer(artifact=ARTIFACT, rendering=a_rendering("k1", "s1"))
    )
    store.vacuum()
    assert store.renders.find_rendering("k1") is not None
    assert store.renders.find_rendering("k2") is None
    assert store.renders.find_blob("s1").type == "image/png"
    with pytest.raises(StoreError):
        store.renders.find_blob("s2")


def test_code_goes_with_its_run(store):
    store.renders.put_artifact(KEY, PreparedAnswer(artifact=ARTIFACT))
    store.delete_run(KEY.run_id)
    assert store.check().counts["artifacts"] == 0
