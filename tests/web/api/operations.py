"""What schemathesis makes of the API's document: built when it is first asked for."""

from functools import cache
from typing import Any

from benchmaker.web.api import mounted
from tests.web.api.asking import ROOT

STREAMS = "/events"
"""How the addresses end that are answered for as long as somebody listens."""

EVERY = tuple(
    (method, route.path_format.removeprefix(ROOT))
    for part in mounted._PARTS
    for route in part.router.routes
    for method in sorted(route.methods)
)
"""Method and path of every operation; read from the routes, which takes no time."""

OPERATIONS = tuple(f"{method} {path}" for method, path in EVERY if not path.endswith(STREAMS))
"""Those that end."""


@cache
def operations() -> dict[str, Any]:
    """Those that end as schemathesis has them, for a server that asks for no session."""
    import schemathesis  # noqa: PLC0415  only where something is sent

    document = {name: it for name, it in mounted.openapi_document().items() if name != "security"}
    found = (it.ok() for it in schemathesis.openapi.from_dict(document).get_all_operations())
    by_label = {f"{it.method.upper()} {it.path.removeprefix(ROOT)}": it for it in found}
    return {label: it for label, it in by_label.items() if not label.endswith(STREAMS)}


def operation_of(label: str) -> Any:
    """An operation by its method and path."""
    return operations()[label]
