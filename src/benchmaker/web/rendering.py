"""Pages from templates; all values are escaped."""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, FunctionLoader, PackageLoader, StrictUndefined
from markupsafe import Markup

from benchmaker.errors import BenchmakerError
from benchmaker.record.account import Actor
from benchmaker.report.sentences.outcomes import GROUPS, NOT_RUN
from benchmaker.web.filters import FILTERS, icon, line
from benchmaker.web.page_list import NavigationItem, PageList
from benchmaker.web.static_files import static_address
from benchmaker.web.workbench import bench_of

_LISTS = 64
"""Maximum number of lists kept; each label of a profile's boards has one."""


def options(names: Iterable[str], chosen: str | None = "", *, plain: bool = False) -> Markup:
    """An option for each name.

    Args:
        names: the values; each is its own label.
        chosen: the selected one.
        plain: whether to replace underscores by hyphens in labels.
    """
    known = tuple(names)
    drawn, places = _render_options(known, plain)
    at = None if chosen is None else places.get(chosen)
    if at is None:
        return Markup("".join(drawn))  # noqa: S704  each was escaped
    here = _option(known[at], " selected", plain=plain)
    return Markup("".join((*drawn[:at], here, *drawn[at + 1 :])))  # noqa: S704  as above


@lru_cache(_LISTS)
def _render_options(names: tuple[str, ...], plain: bool) -> tuple[tuple[str, ...], dict[str, int]]:  # noqa: FBT001  words of a cache
    drawn = tuple(_option(name, plain=plain) for name in names)
    return drawn, {name: at for at, name in enumerate(names)}


def _option(name: str, mark: str = "", *, plain: bool) -> str:
    label = line(name).replace("_", "-") if plain else line(name)
    return str(Markup('<option value="{}"{}>{}</option>').format(name, mark, label))


THEMES: Final = ("auto", "light", "dark")
THEME_COOKIE: Final = "benchmaker_theme"
KEYS_COOKIE: Final = "benchmaker_keys"


class Crumb(NamedTuple):
    """One level above this page; without an address it is the page itself."""

    title: str
    href: str = ""


@cache
def environment() -> Environment:
    """The templates with their filters."""
    made = Environment(
        loader=ChoiceLoader(
            (PackageLoader("benchmaker.web", "templates"), FunctionLoader(_foreign_template))
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(FILTERS)
    made.globals.update(icon=cache(icon), static=static_address, themes=THEMES)
    made.globals.update(options_of=options, outcome_groups=GROUPS, not_run=NOT_RUN)
    return made


def _foreign_template(name: str) -> tuple[str, str | None, Callable[[], bool] | None] | None:
    """The template ``package:name``, out of the folder ``templates`` of that package."""
    package, colon, path = name.partition(":")
    return _loader_of(package).get_source(environment(), path) if colon else None


@cache
def _loader_of(package: str) -> PackageLoader:
    return PackageLoader(package, "templates")


class Viewer(NamedTuple):
    """The requester's settings and account, on which the frame of a page depends."""

    theme: str
    has_keys: bool
    actor: Actor | None

    @classmethod
    def of(cls, request: Request) -> "Viewer":
        """The viewer that sends a request."""
        chosen = request.cookies.get(THEME_COOKIE, "auto")
        return cls(
            theme=chosen if chosen in THEMES else "auto",
            has_keys=request.cookies.get(KEYS_COOKIE) != "off",
            actor=getattr(request.state, "actor", None),
        )


class Frame(NamedTuple):
    """The data shown on every page: requester, address, and time."""

    theme: str
    has_keys: bool
    path: str
    at_work: tuple[str, ...]
    actor: Actor | None
    navigation: tuple[NavigationItem, ...]

    @classmethod
    def of(cls, request: Request) -> "Frame":
        """The frame of the page that answers a request."""
        viewer = Viewer.of(request)
        return cls(
            *viewer[:2],
            path=request.url.path,
            at_work=jobs_at_work(request),
            actor=viewer.actor,
            navigation=pages_of(request).navigation_of(viewer.actor),
        )


def pages_of(request: Request) -> PageList:
    """The pages of the server that answers a request."""
    found: PageList = request.app.state.pages
    return found


def page(
    request: Request,
    template: str,
    *,
    title: str,
    here: str = "",
    crumbs: tuple[Crumb, ...] = (),
    status: int = 200,
    **content: Any,  # noqa: ANN401  whatever the template shows
) -> HTMLResponse:
    """Return a whole page.

    Args:
        request: the request.
        template: its file, without ``.html.jinja``; ``package:name`` is one in the folder
            ``templates`` of another package.
        title: title of the window, and by default the heading.
        here: the entry of the navigation that it belongs to.
        crumbs: the pages above it.
        status: status of the response.
        content: the values of the template.
    """
    frame = Frame.of(request)
    body = render_page(frame, template, title=title, here=here, crumbs=crumbs, **content)
    return HTMLResponse(body, status)


def render_page(
    frame: Frame,
    template: str,
    *,
    title: str,
    here: str = "",
    crumbs: tuple[Crumb, ...] = (),
    **content: Any,  # noqa: ANN401  whatever the template shows
) -> str:
    """Return the text of a whole page; its only data on the request is the frame."""
    context = {"title": title, "here": here, "crumbs": crumbs, **frame._asdict(), **content}
    return environment().get_template(f"{template}.html.jinja").render(context)


def jobs_at_work(request: Request) -> tuple[str, ...]:
    """Return the runs and series of running and queued jobs; empty if the store is unreadable.

    Empty for people without a team.
    """
    actor = getattr(request.state, "actor", None)
    if actor is not None and not (actor.team and actor.user_id):
        return ()
    try:
        return tuple(job.target for job in bench_of(request).store.jobs.list_open())
    except BenchmakerError:
        return ()


def fragment(template: str, **content: Any) -> str:  # noqa: ANN401  whatever the template shows
    """A piece of a page, for events and for htmx."""
    return environment().get_template(f"{template}.html.jinja").render(**content)
