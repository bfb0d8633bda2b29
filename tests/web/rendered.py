"""Generated pages of an illustrative run, rendered by the probe with the checks of their task."""

import asyncio
from pathlib import Path

from benchmaker.arenas.code.preview import assemble
from benchmaker.arenas.code.probe import Prober
from benchmaker.record import TrialKey
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering
from benchmaker.spec.suites.page_checks import Page
from benchmaker.store import Store
from benchmaker.store.runs.renders import Blob

_EACH = {"css": "output"}
_BILL = Page.model_validate({
    "checks": [
        {
            "name": "splits among five",
            "steps": [
                {"fill": {"css": "[name=people]", "with": "5"}},
                {"expect": {**_EACH, "has_text": "18.48"}},
            ],
        },
        {
            "name": "adds a tip of a quarter",
            "steps": [
                {"fill": {"css": "[name=tip]", "with": "25"}},
                {"expect": {**_EACH, "has_text": "26.25"}},
            ],
        },
        {
            "name": "has no result without people",
            "steps": [
                {"fill": {"css": "[name=people]", "with": "0"}},
                {"expect": {**_EACH, "visible": False}},
            ],
        },
    ]
})  # fmt: skip


def render_pages(home: Path, *run_ids: str) -> None:
    """Render every page of these runs, and keep the reports with their pictures."""
    with Store.open(home / "benchmaker.db") as store:
        found = [it for run_id in run_ids for it in store.renders.each_prepared(run_id)]
        asyncio.run(_render(store, found))


async def _render(store: Store, found: list[tuple[TrialKey, PreparedAnswer]]) -> None:
    async with Prober.open() as prober:
        for at, (trial, made) in enumerate(found):
            artifact = made.artifact
            bundle = assemble(artifact, mapping=True)
            report, shots = await prober.probe(
                bundle, checks=_BILL.checks, sha=artifact.sha256[:12]
            )
            rendering = Rendering(
                key=f"rendered-{at}",
                content=artifact.sha256,
                place="illustrative",
                artifact_sha=artifact.sha256,
                report=report,
            )
            pictures = {sha256: Blob("image/png", body) for sha256, body in shots.items()}
            store.renders.put_rendering(rendering, pictures)
            store.renders.put_artifact(
                trial, PreparedAnswer(artifact=artifact, rendering=rendering)
            )
