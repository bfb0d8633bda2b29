"""All pages of one model, the latest first."""

from typing import ClassVar, NamedTuple

from fastapi import APIRouter, Request, Response

from benchmaker.plugins import web_page
from benchmaker.report.sentences.code_words import state_of
from benchmaker.store.runs.renders import StoredPage
from benchmaker.web.accounts.actors import by_actor
from benchmaker.web.code.links import gallery_address, run_address
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.code.thumbnails import USUAL_WIDTH, WIDTH_WORDS, WIDTHS, Thumbnail, thumbnail_of
from benchmaker.web.faults import Missing
from benchmaker.web.pages.code.code_runs import HOME
from benchmaker.web.pages.code.live_pages import place_after, voter_of
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="gallery")
class GalleryPage:
    """The generated pages of a model."""

    routes: ClassVar = router


_ROWS = 48


class GalleryCell(NamedTuple):
    """A page in a gallery: its link, prompt, outcome and screenshot."""

    href: str
    prompt: str
    state: str
    thumbnail: Thumbnail | None


@router.get("/code/models/{run}/{n:int}")
def gallery(request: Request, bench: Bench, run: str, n: int) -> Response:
    """Show the pages of the model in that place of a run; those with open votes are left out."""
    subject = CodeRun.of(bench.store, run)
    if not 1 <= n <= len(subject.run.models):
        raise Missing(f"there is no model {n} in this run.", where=subject.run.id)
    model = subject.run.models[n - 1]
    filters = {"by": None, "all": ("1",), "w": WIDTH_WORDS}
    view = by_actor(request, read_view(request, filters=filters))
    found = bench.store.renders.pages_of_model(
        model, before=place_after(view) or None, limit=_ROWS + 1
    )
    cells, hidden = _cells(bench, found[:_ROWS], view)
    return page(
        request,
        "code/gallery",
        title=model,
        here="Code",
        crumbs=(HOME, Crumb(subject.run.suite_name, run_address(subject.run.id)), Crumb("Pages")),
        view=view,
        address=gallery_address(subject.run.id, n - 1),
        cells=cells,
        hidden=hidden,
        after=str(found[_ROWS - 1].number) if len(found) > _ROWS else "",
        widths=WIDTHS,
        width=int(view.filters["w"] or USUAL_WIDTH),
    )


def _cells(
    bench: Workbench, found: tuple[StoredPage, ...], view: View
) -> tuple[list[GalleryCell], int]:
    """The pages, and the number of those that are left out for their open votes."""
    width = int(view.filters["w"] or USUAL_WIDTH)
    subjects = {it.trial.run_id: CodeRun.of(bench.store, it.trial.run_id) for it in found}
    is_open = {
        run_id: not view.filters["all"] and bool(one.waiting_pairs(voter_of(view)))
        for run_id, one in subjects.items()
    }
    shown = [it for it in found if not is_open[it.trial.run_id]]
    cells = [_cell(subjects[it.trial.run_id], it, width) for it in shown]
    return cells, len(found) - len(shown)


def _cell(subject: CodeRun, it: StoredPage, width: int) -> GalleryCell:
    number = subject.number(it.trial.case_id)
    rank = subject.run.models.index(it.trial.model)
    return GalleryCell(
        f"{run_address(subject.run.id)}/{number}/{rank + 1}",
        subject.prompt(number).conversation()[-1].content,
        state_of(it.prepared),
        thumbnail_of(it.prepared.report, width),
    )
