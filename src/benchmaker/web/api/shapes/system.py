"""The server, its data, endpoints, prices and profiles."""

from typing import Any, Literal, TypedDict

from benchmaker.web.api.paging import page_type


class Health(TypedDict):
    """The state of the server, and its version."""

    status: Literal["ok"]
    version: str


class Size(TypedDict):
    """The size of the data folder; incomplete if there was not enough time."""

    bytes: int
    files: int
    is_whole: bool


class About(TypedDict):
    """Versions, the data folder, and its size."""

    version: str
    python: str
    parts: dict[str, str]
    home: str
    store: str
    size: Size
    rows: dict[str, int]


class StoreCheck(TypedDict):
    """The integrity of the store."""

    ok: bool
    problems: list[str]
    counts: dict[str, int]
    revision: str | None
    size_bytes: int


class EndpointRow(TypedDict):
    """An endpoint, and the variable of its key; never the key itself."""

    name: str
    protocol: str
    base_url: str
    key_variables: list[str]
    key_set: str | None
    needs_key: bool
    local: bool
    fault: str | None


EndpointPage = page_type("EndpointPage", EndpointRow)


class ModelRow(TypedDict):
    """An available model, by its model string; prices as displayed."""

    model: str
    context: str
    price: str
    note: str


ModelPage = page_type("ModelPage", ModelRow, more=int, error=str | None)


class PriceRow(TypedDict):
    """The price of a model, in dollars per million tokens; null if unknown."""

    model: str
    input: float | None
    output: float | None
    cache_read: float | None
    cache_write: float | None
    context_tokens: int | None
    source: str


PricePage = page_type("PricePage", PriceRow)


class ScoringProfile(TypedDict):
    """A profile of suites, with its meaning."""

    name: str
    version: str
    says: str


class ScorerRow(TypedDict):
    """A scorer that suites can name."""

    id: str
    version: str
    distribution: str
    summary: str


class Profiles(TypedDict):
    """The profiles of suites, and the scorers there are."""

    items: list[ScoringProfile]
    next: None
    scorers: list[ScorerRow]


class AgenticProfileOut(TypedDict):
    """A profile of the Agentic Arena, as `profile show --json` prints it."""

    id: str
    state: str
    name: str
    version: str
    family: Literal["classic", "robust"]
    description: str
    weights: dict[str, Any]
    by_category: dict[str, Any]
    tokens: str
    missing: Literal["range", "left_out"]
    policy: str
    evidence: list[str]
    least_submissions: int
    least_systems: int
    common_tasks: bool
    level: float


AgenticProfilePage = page_type("AgenticProfilePage", AgenticProfileOut)
