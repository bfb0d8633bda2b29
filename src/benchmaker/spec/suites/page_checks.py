"""The examination of an answer's page: user steps and expectations.

A check is a list of steps on a freshly loaded page; it passes when all of them do. Elements are
located as a user names them, by role and name, label or text, or by a test id or CSS::

    page:
      checks:
        - name: adds a task
          steps:
            - fill: {label: New task, with: milk}
            - click: {role: button, name: Add}
            - expect: {role: listitem, count: 1}
            - expect: {css: "#left", has_text: "1 left"}
"""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from benchmaker.spec.documents.suggestions import nearest_name

Words = Annotated[str, Field(min_length=1, max_length=1000)]
Texts = Annotated[str, Field(max_length=10_000)]
Key = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^\S+( )?\S*$|^ $")]
Width = Annotated[int, Field(ge=200, le=4096)]

_WAYS = ("role", "text", "css", "label", "testid")
_FREE = "one of role, text, css, label and testid"

ROLES = (
    "alert", "alertdialog", "application", "article", "banner", "blockquote", "button", "caption",
    "cell", "checkbox", "code", "columnheader", "combobox", "complementary", "contentinfo",
    "definition", "deletion", "dialog", "directory", "document", "emphasis", "feed", "figure",
    "form", "generic", "grid", "gridcell", "group", "heading", "img", "insertion", "link", "list",
    "listbox", "listitem", "log", "main", "marquee", "math", "menu", "menubar", "menuitem",
    "menuitemcheckbox", "menuitemradio", "meter", "navigation", "none", "note", "option",
    "paragraph", "presentation", "progressbar", "radio", "radiogroup", "region", "row", "rowgroup",
    "rowheader", "scrollbar", "search", "searchbox", "separator", "slider", "spinbutton", "status",
    "strong", "subscript", "superscript", "switch", "tab", "table", "tablist", "tabpanel", "term",
    "textbox", "time", "timer", "toolbar", "tooltip", "tree", "treegrid", "treeitem",
)  # fmt: skip
"""The roles of WAI-ARIA 1.2 by which elements can be found."""


PAGE_TEXTS = frozenset(
    {"name", "text", "label", "testid", "css", "with", "key", "has_text", "value", "attribute"}
)
"""The fields inside a page that hold text, in which a number keeps the digits of its file."""


def _role(role: str) -> str:
    if role not in ROLES:
        close = nearest_name(role, ROLES)
        raise ValueError(f"unknown role {role!r}" + (f"; {close!r} is near" if close else ""))
    return role


def _as_written(schema: dict[str, Any]) -> None:
    """Accept numbers for texts in the schema, as in the file."""
    for name in PAGE_TEXTS & schema["properties"].keys():
        field = schema["properties"][name]
        for one in field.get("anyOf", [field]):
            if one.get("type") == "string":
                one["type"] = ["string", "number", "boolean"]


def _allow_shorthand(kind: str) -> Callable[[dict[str, Any]], None]:
    """Accept a bare value of this kind for the mapping in the schema."""

    def change(schema: dict[str, Any]) -> None:
        _as_written(schema)
        mapping = dict(schema)
        schema.clear()
        schema["anyOf"] = [{"type": kind}, mapping]

    return change


class Locator(BaseModel):
    """One element, located by exactly one of ``role``, ``text``, ``label``, ``testid`` and ``css``.

    ``name`` is the accessible name, used with a role. Texts and names match substrings, ignoring
    case, unless ``exact``. Among several matches, ``nth`` (from 1) selects one; the default is the
    first visible one. A bare text is short for ``{text: …}``.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra=_allow_shorthand("string")
    )

    role: Annotated[str, AfterValidator(_role)] | None = None
    name: Words | None = None
    text: Words | None = None
    label: Words | None = None
    testid: Words | None = None
    css: Words | None = None
    exact: bool = False
    nth: int | None = Field(None, ge=1, le=10_000)

    @model_validator(mode="before")
    @classmethod
    def _text_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        return {"text": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [way for way in _WAYS if getattr(self, way) is not None]
        if len(given) > 1:
            raise ValueError(
                f"an element is identified by {' and '.join(given)}; remove one of them"
            )
        if not given and not self._may_be_any():
            raise ValueError(f"no element given; add {_FREE}")
        if self.name is not None and self.role is None:
            raise ValueError("name needs a role; add role, or use text instead of name")
        return self

    def _may_be_any(self) -> bool:
        """True if the step works without an element."""
        return False

    @property
    def words(self) -> str:
        """The element in words.

        >>> Locator(role="button", name="Add").words
        "button 'Add'"
        """
        number = f" number {self.nth}" if self.nth else ""
        if self.role is not None:
            named = f" {self.name!r}" if self.name is not None else ""
            return f"{self.role}{named}{number}"
        way = next((way for way in _WAYS if getattr(self, way) is not None), None)
        shown = f"{way} {getattr(self, way)!r}" if way else "the focused element"
        return f"{shown}{number}"


def _in_words(value: object) -> str:
    return value.words if isinstance(value, Locator) else repr(value)


class Fill(Locator):
    """Type into a field, replacing its content; use ``click`` for a checkbox."""

    model_config = ConfigDict(json_schema_extra=_as_written)

    with_: Texts = Field(alias="with")


class Press(Locator):
    """Press a key (``Enter``, ``ArrowLeft``, ``Control+a``) on the focused or the given element.

    A bare text is short for ``{key: …}``.
    """

    key: Key

    @model_validator(mode="before")
    @classmethod
    def _text_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        return {"key": given} if isinstance(given, str) else given

    def _may_be_any(self) -> bool:
        return True


class Wait(Locator):
    """Wait until an element is visible (at most five seconds), or for ``ms`` milliseconds.

    A bare number is short for ``{ms: …}``.
    """

    model_config = ConfigDict(json_schema_extra=_allow_shorthand("integer"))

    ms: int | None = Field(None, ge=0, le=5000)

    @model_validator(mode="before")
    @classmethod
    def _text_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        if isinstance(given, int) and not isinstance(given, bool):
            return {"ms": given}
        return {"text": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        is_named = any(getattr(self, way) is not None for way in _WAYS)
        if is_named == (self.ms is not None):
            raise ValueError("give either an element to wait for, or ms")
        return self

    def _may_be_any(self) -> bool:
        return self.ms is not None


class Expect(Locator):
    """An expectation that must hold within two seconds; a bare element must be visible.

    ``has_text``: its text or field value contains these words, ignoring whitespace and case.
    ``count``: exactly this number of elements match; ``at_least``: this number or more. ``visible:
    false``: it is hidden or absent. ``attribute``: it has the attribute, with this ``value`` if
    given; ``value`` alone is the exact content of the field. ``checked``, ``disabled`` and
    ``has_focus``: its state.

    Layout, by the boxes of the elements in CSS pixels, with a tolerance of one: ``in_viewport``:
    it is completely in the window. ``unclipped``: neither the window's sides nor a surrounding
    element cut it off, and it shows its own content. ``left_of``, ``above``: it ends before the
    other element begins. ``apart_from``: the two do not overlap. All given conditions must hold.
    """

    model_config = ConfigDict(json_schema_extra=_as_written)

    has_text: Texts | None = None
    count: int | None = Field(None, ge=0, le=100_000)
    at_least: int | None = Field(None, ge=1, le=100_000)
    visible: bool | None = None
    attribute: Words | None = None
    value: Texts | None = None
    checked: bool | None = None
    disabled: bool | None = None
    has_focus: bool | None = None
    in_viewport: bool | None = None
    unclipped: bool | None = None
    left_of: Locator | None = None
    above: Locator | None = None
    apart_from: Locator | None = None

    @property
    def needs_element(self) -> bool:
        """True if a condition is about one element, rather than the number of matches."""
        own = self.model_fields_set - set(Locator.model_fields) - {"count", "at_least", "visible"}
        return any(getattr(self, name) is not None for name in own)

    @model_validator(mode="after")
    def _asks_soundly(self) -> Self:
        if self.count is not None and self.at_least is not None:
            raise ValueError("both count and at_least are given; remove one of them")
        return self


Action = Literal["click", "fill", "press", "wait", "expect"]
_ACTIONS: tuple[Action, ...] = ("click", "fill", "press", "wait", "expect")


class Step(BaseModel):
    """One step: exactly one of ``click``, ``fill``, ``press``, ``wait`` and ``expect``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    click: Locator | None = None
    fill: Fill | None = None
    press: Press | None = None
    wait: Wait | None = None
    expect: Expect | None = None

    @model_validator(mode="after")
    def _one_action(self) -> Self:
        given = [one for one in _ACTIONS if getattr(self, one) is not None]
        if len(given) != 1:
            listed = " and ".join(given) if given else "nothing"
            raise ValueError(
                f"a step must be exactly one of {', '.join(_ACTIONS)}; this one is {listed}"
            )
        return self

    @property
    def action(self) -> Action:
        """The action of the step."""
        return next(one for one in _ACTIONS if getattr(self, one) is not None)

    @property
    def target(self) -> Locator:
        """The element that the step acts on or checks."""
        target: Locator = getattr(self, self.action)
        return target

    @property
    def words(self) -> str:
        """The step in words, for reports.

        >>> Step(expect=Expect(css="li", count=2)).words
        "expect css 'li' count 2"
        """
        target = self.target
        extra = {
            (field.alias or name): getattr(target, name)
            for name, field in type(target).model_fields.items()
            if name not in Locator.model_fields and getattr(target, name) is not None
        }
        match target:
            case Press():
                shown = f"{target.key} on {target.words}"
            case Wait(ms=int(ms)):
                shown = f"{ms} ms"
            case _:
                rest = "".join(f" {name} {_in_words(value)}" for name, value in extra.items())
                shown = f"{target.words}{rest}"
        return f"{self.action} {shown}"


class Viewport(BaseModel):
    """The size of a window in CSS pixels."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    width: Width
    height: Width


class Check(BaseModel):
    """One thing that a page must be able to do, by steps on a freshly loaded page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(max_length=300)] = ""
    steps: Annotated[tuple[Step, ...], Field(max_length=50)]
    weight: float = Field(1.0, gt=0, le=1e6, allow_inf_nan=False)
    viewport: Viewport | None = None

    @model_validator(mode="after")
    def _expects(self) -> Self:
        if not any(step.action in ("expect", "wait") for step in self.steps):
            raise ValueError("the check has no expectation; end it with an expect")
        return self

    @property
    def title(self) -> str:
        """Its name, or else its last expectation."""
        return self.name or next(
            step.words for step in reversed(self.steps) if step.action in ("expect", "wait")
        )


def _picture(path: str) -> str:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\\" in path or "\0" in path:
        raise ValueError("expected a file in the folder of the suite")
    if parts.suffix.lower() != ".png":
        raise ValueError("a screenshot must be a .png file")
    return path


class Page(BaseModel):
    """The examination of the page that answers a case.

    ``viewport`` is the default window of checks, and that of the reference. ``reference`` is the
    screenshot (PNG) of the requested page, a file next to the suite. ``libraries`` are those the
    prompt allows; one that is unavailable offline is not a fault of the answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    checks: Annotated[tuple[Check, ...], Field(max_length=100)] = ()
    viewport: Viewport = Viewport(width=1440, height=900)
    reference: Annotated[str, Field(max_length=1000), AfterValidator(_picture)] | None = None
    libraries: Annotated[tuple[Words, ...], Field(max_length=100)] = ()

    @property
    def plain_data(self) -> dict[str, Any]:
        """The fields that were set, as plain data without defaults."""
        return self.model_dump(mode="json", exclude_defaults=True, by_alias=True)


PAGE_PARTS: dict[str, type[BaseModel]] = {
    "page": Page,
    "checks": Check,
    "steps": Step,
    "click": Locator,
    "fill": Fill,
    "press": Press,
    "wait": Wait,
    "expect": Expect,
    "left_of": Locator,
    "above": Locator,
    "apart_from": Locator,
    "viewport": Viewport,
}
"""The models of values inside a page, by the field that holds them."""
