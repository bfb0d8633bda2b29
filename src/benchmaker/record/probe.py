"""The observed behaviour of a rendered page: facts, no judgments.

A report holds nothing that varies between renders of the same page, so that two reports of one page
are equal; the duration is returned separately. Widths are strings, as in JSON: ``{"375": true}``.
"""

from enum import StrEnum

import msgspec

PROBE_VERSION = "5"
"""Version of the report; raised whenever the same page could give another report."""

WIDTHS = (375, 768, 1440)
"""The widths in CSS pixels at which a page is loaded."""

HEIGHTS = {375: 667, 768: 1024, 1440: 900}
"""The height of the window at each width."""


class ProbeOutcome(StrEnum):
    """The outcome of rendering the page.

    ``unknown``: a limit was reached, but the machine was too busy for it to say anything.
    """

    RENDERED = "rendered"
    BLANK = "blank"
    HANG = "hang"
    LOAD_ERROR = "load_error"
    CRASH = "crash"
    MEMORY = "memory"
    RELOAD_LOOP = "reload_loop"
    NAVIGATED_AWAY = "navigated_away"
    NO_BROWSER = "no_browser"
    UNKNOWN = "unknown"


class ProbeIsolation(StrEnum):
    """The page's isolation from the network: a namespace, flags of the browser, or no render."""

    NAMESPACE = "namespace"
    FLAGS = "flags"
    NONE = "none"
    STATIC = "static"


class Severity(StrEnum):
    """The severity of a finding for users of the page."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    pass


class ProbeFinding(_Part, frozen=True):
    """One thing to know about the page; ``key`` is the part of the report that shows it.

    ``viewport`` is the width at which it shows, None where it shows at all of them;
    ``elements`` are the selectors of at most ten elements.
    """

    key: str
    severity: Severity
    message: str
    viewport: int | None = None
    elements: tuple[str, ...] = ()


class ClickWalk(_Part, frozen=True, omit_defaults=False):
    """Every control clicked, in the order of the page.

    ``candidates`` were found, ``tried`` could be clicked, ``changed`` altered the document,
    ``left`` acted outside it (a dialog, a link, a popup, a download), ``errors`` raised an error,
    ``hangs`` never returned and ``dead`` had no effect, even with the page's fields filled and
    after the other controls. ``dead_controls`` are their selectors.
    """

    candidates: int
    tried: int
    changed: int
    errors: int
    left: int = 0
    hangs: int = 0
    dead: int = 0
    dead_controls: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


class ViewportFacts(_Part, frozen=True, omit_defaults=False):
    """Facts about the page at one width.

    ``small_text`` counts elements with text below 12 px, ``small_taps`` controls below 24 px either
    way; ``offenders`` are the selectors of elements that overflow to the right; ``blank_ratio`` is
    the share of the commonest of ``colours`` colours in the screenshot, 0–1, None without one.
    ``layout_shift`` is the layout shift score of the second after loading, at least 0 and best at
    0, with two decimals, None if unknown: the impact fraction times the distance fraction of
    https://web.dev/articles/cls, from the boxes of the visible elements in the first frame and
    after that second.
    """

    small_text: int = 0
    small_taps: int = 0
    offenders: tuple[str, ...] = ()
    blank_ratio: float | None = None
    colours: int | None = None
    text_len: int = 0
    layout_shift: float | None = None


class Shot(_Part, frozen=True, omit_defaults=False):
    """One screenshot: of the window, not of the whole page; its bytes are kept by ``sha256``."""

    viewport: int
    width: int
    height: int
    sha256: str
    type: str = "image/png"


class StepOutcome(StrEnum):
    """The outcome of one step of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not_reached"


class StepResult(_Part, frozen=True, omit_defaults=False):
    """One step of a check: ``index`` counts from 1, ``message`` explains a failure.

    ``picture`` shows the window after the step; None if there is none.
    """

    index: int
    text: str
    outcome: StepOutcome
    message: str = ""
    picture: Shot | None = None


class CheckResult(_Part, frozen=True, omit_defaults=False):
    """One check of the task: ``index`` counts from 1, ``message`` explains a failure.

    ``steps`` with their pictures are the film strip of the check.
    """

    index: int
    text: str
    passed: bool
    message: str = ""
    steps: tuple[StepResult, ...] = ()


class MissingResource(_Part, frozen=True):
    """A resource that the page requests and did not get.

    ``kind`` is ``local`` (a file missing from the answer), ``cdn`` (a package that is not
    vendored) or ``other`` (anywhere else on the network).
    """

    url: str
    kind: str
    reason: str = ""


class CodeFacts(_Part, frozen=True, omit_defaults=False):
    """Facts from reading the document, without running it."""

    bytes: int = 0
    lines: int = 0
    scripts: int = 0
    styles: int = 0
    inline_handlers: int = 0
    inline_styles: int = 0
    important: int = 0
    missing_ids: tuple[str, ...] = ()
    missing_handlers: tuple[str, ...] = ()
    unclosed: tuple[str, ...] = ()


class SelfTest(_Part, frozen=True, omit_defaults=False):
    """The test of the isolation at the start: ``seen`` names the channels that leaked.

    ``tried`` are the channels tested: connections, requests and WebRTC to a listener on loopback.
    """

    tried: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    controls: bool = True


class ProbeReport(_Part, frozen=True, omit_defaults=False):
    """The facts of one page; None is an unavailable fact.

    ``timeout`` is true if part of the page never returned, ``error`` is the error of the load
    itself, or the reason for the outcome ``unknown``. ``page_errors`` and ``rejections`` are those
    of the load, deduplicated; ``console_errors`` counts those of the load, those about blocked
    resources included. ``blocked`` are the refused addresses. ``dialogs`` is true if the page
    opened one on its own. ``axe`` are pairs of rule and impact, None if the rules were not tried.
    ``sha`` is the beginning of the digest of the probed input.
    """

    sha: str
    outcome: ProbeOutcome
    timeout: bool = False
    error: str | None = None
    page_errors: tuple[str, ...] = ()
    rejections: tuple[str, ...] = ()
    console_errors: int = 0
    blocked: tuple[str, ...] = ()
    dialogs: bool = False
    overflow: dict[str, bool] = {}
    overflow_px: dict[str, int] = {}
    viewport_meta: bool | None = None
    lang: str | None = None
    title: str | None = None
    interactive: int | None = None
    text_len: int | None = None
    canvas: int | None = None
    broken_images: int | None = None
    axe: tuple[tuple[str, str], ...] | None = None
    click: ClickWalk | None = None
    headings: tuple[str, ...] | None = None
    landmarks: tuple[str, ...] | None = None
    duplicate_ids: tuple[str, ...] | None = None
    quirks: bool | None = None
    animates: bool | None = None
    viewports: dict[str, ViewportFacts] = {}
    missing: tuple[MissingResource, ...] = ()
    mapped: tuple[tuple[str, str, str], ...] = ()
    screenshots: tuple[Shot, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    code: CodeFacts = CodeFacts()
    findings: tuple[ProbeFinding, ...] = ()
    flags: tuple[str, ...] = ()
    version: str = PROBE_VERSION
    browser: str | None = None
    isolation: ProbeIsolation = ProbeIsolation.STATIC
    self_test: SelfTest | None = None

    @property
    def film_strip(self) -> tuple[tuple[CheckResult, StepResult, Shot], ...]:
        """The steps with a picture, in their order."""
        return tuple(
            (check, step, step.picture)
            for check in self.checks
            for step in check.steps
            if step.picture is not None
        )

    @property
    def all_pictures(self) -> tuple[Shot, ...]:
        """The screenshots, then the pictures of the steps; each once."""
        shots = (*self.screenshots, *(shot for _, _, shot in self.film_strip))
        return tuple({shot.sha256: shot for shot in shots}.values())

    @property
    def is_rendered(self) -> bool:
        """True if a browser rendered it and the result is visible."""
        return self.outcome in (ProbeOutcome.RENDERED, ProbeOutcome.NAVIGATED_AWAY)
