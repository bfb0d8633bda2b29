import asyncio
import struct
import zlib

import numpy as np
import pytest
from msgspec.structs import replace

from benchmaker.arenas.code import prepare
from benchmaker.arenas.code.prepare import Pages
from benchmaker.arenas.code.probe import checks
from benchmaker.engine.requests.preparing import PrepareRequest, rendering_key
from benchmaker.errors import RenderError, ScorerError
from benchmaker.record import CheckResult, ProbeOutcome, ProbeReport
from benchmaker.scoring.code import score_probe
from benchmaker.spec.suites.page_checks import Page
from benchmaker.store.runs.renders import Blob
from benchmaker.testing.builders import a_case, a_trial

COUNTER = """```html
<!doctype html><html lang="en"><head><title>Counter</title></head><body><main>
<button onclick="o.value = +o.value + 1">More</button> <output id="o">0</output>
</main></body></html>
```"""
CHECKS = Page(
    checks=[
        {"steps": [{"click": {"role": "button"}}, {"expect": {"css": "output", "has_text": "1"}}]},
        {"steps": [{"expect": {"text": "Nowhere"}}]},
    ]
)


def a_wish(text=COUNTER, page=None, folder=None):
    return PrepareRequest(a_case(page=page), a_trial(text), folder)


def begun(wish, **options):
    return asyncio.run(Pages(**options).begin(wish))


def a_png(size=(90, 144), colour=255):
    pixels = np.full((*size, 3), colour, np.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", size[1], size[0], 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(raw)))
    packed = (struct.pack(">I", len(b)) + k + b + b"\0\0\0\0" for k, b in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def test_an_answer_without_code_has_nothing_to_render():
    found = begun(a_wish("Sorry, no."))
    assert found.content is None
    assert found.artifact.reason


def test_what_is_rendered_is_called_by_all_that_may_change_it(tmp_path):
    (tmp_path / "a.png").write_bytes(a_png())
    (tmp_path / "b.png").write_bytes(a_png(colour=0))
    wishes = [
        a_wish(),
        a_wish(COUNTER.replace("More", "Less")),
        a_wish(page=CHECKS),
        a_wish(page=Page(viewport={"width": 500, "height": 500})),
        a_wish(page=Page(reference="a.png"), folder=tmp_path),
        a_wish(page=Page(reference="b.png"), folder=tmp_path),
    ]
    names = [begun(wish).content for wish in wishes] + [begun(a_wish(), mapping=False).content]
    assert len(set(names)) == len(names)
    assert begun(a_wish()).content == names[0]


def test_words_around_the_code_change_nothing():
    assert begun(a_wish(f"Sure!\n\n{COUNTER}")).content == begun(a_wish()).content


def test_libraries_that_are_allowed_are_no_part_of_the_render():
    assert begun(a_wish(page=Page(libraries=("d3",)))).content == begun(a_wish()).content


@pytest.mark.parametrize("folder", [None, "there"])
def test_a_reference_that_can_not_be_read_is_told(tmp_path, folder):
    wish = a_wish(page=Page(reference="gone.png"), folder=tmp_path if folder else None)
    with pytest.raises(ScorerError, match=r"gone\.png"):
        begun(wish)


def test_only_options_that_differ_are_recorded():
    assert dict(Pages().options) == {}
    assert dict(Pages(mapping=False, workers=3).options) == {"mapping": False, "workers": 3}


def a_hang(*, passes):
    check = CheckResult(index=1, text="x", passed=passes)
    return ProbeReport(sha="a", outcome=ProbeOutcome.HANG, timeout=True, checks=(check,))


def test_a_time_out_is_no_proof_where_checks_pass():
    prepare._refuse_doubtful(a_hang(passes=False))
    with pytest.raises(RenderError, match="the page passed checks and timed out"):
        prepare._refuse_doubtful(a_hang(passes=True))


def test_a_time_out_is_no_proof_on_a_busy_machine():
    unknown = replace(a_hang(passes=False), outcome=ProbeOutcome.UNKNOWN)
    with pytest.raises(RenderError, match="overloaded machine"):
        prepare._refuse_doubtful(unknown)
    prepare._refuse_doubtful(replace(unknown, outcome=ProbeOutcome.RENDERED))


def test_a_page_is_rendered_used_and_compared(tmp_path, monkeypatch):
    """What the page can do may take its time on a busy machine."""
    monkeypatch.setattr(checks, "_STEP_MS", 60_000)
    (tmp_path / "a.png").write_bytes(a_png())
    wish = a_wish(page=CHECKS.model_copy(update={"reference": "a.png"}), folder=tmp_path)

    async def made():
        pages = Pages(workers=1)
        try:
            begun = await pages.begin(wish)
            place = await pages.place()
            pages._prober.budget_s = 60
            key = rendering_key(begun.content, place)
            return begun, await pages.make(wish, begun, key=key, place=place)
        finally:
            await pages.close()

    begun_, found = asyncio.run(made())
    rendering = found.rendering
    assert [check.passed for check in rendering.report.checks] == [True, False]
    assert rendering.artifact_sha == begun_.artifact.sha256
    assert set(found.files) == {shot.sha256 for shot in rendering.report.all_pictures}
    assert all(isinstance(blob, Blob) for blob in found.files.values())
    assert rendering.match.colours > 0.9
    assert rendering.match.blocks < 0.5
    assert rendering.took_s > 0
    from benchmaker.record.prepared_answer import PreparedAnswer  # noqa: PLC0415

    value = score_probe(PreparedAnswer(artifact=begun_.artifact, rendering=rendering), CHECKS)
    assert 0 < value.values["functionality"] < 100
