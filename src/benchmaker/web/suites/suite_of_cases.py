"""A suite out of some cases of another one."""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import Response
from fastapi.responses import RedirectResponse

from benchmaker.errors import SpecError
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.web.suites.export import as_yaml
from benchmaker.web.suites.versions import keep

MOST_CASES = 5_000
"""Maximum number of cases of such a suite."""

_LONGEST_NAME = 200


def suite_of_cases(store: Store, suite_hash: str, positions: Sequence[int], name: str) -> Suite:
    """Return the suite with these cases alone, in its order.

    Raises:
        SpecError: no cases, too many, or no name.
    """
    if not positions:
        raise SpecError("no case is listed.", hint="Choose another filter.")
    if len(positions) > MOST_CASES:
        raise SpecError(
            f"{len(positions):,} cases are too many for a suite made here.",
            hint=f"Filter the cases to at most {MOST_CASES:,}.",
        )
    given = name.strip()
    if not given or len(given) > _LONGEST_NAME:
        raise SpecError(
            "the suite needs a name.", where="name", hint=f"At most {_LONGEST_NAME} characters."
        )
    suite = store.suite(suite_hash)
    cases = tuple(store.case(suite_hash, position) for position in sorted(positions))
    return replace(suite, name=given, cases=cases, places=None)


def store_suite(store: Store, suite: Suite) -> Response:
    """Store the suite and lead to its page."""
    return RedirectResponse(f"/suites/{keep(store, suite)}", status_code=303)


def suite_file(suite: Suite) -> Response:
    """The suite as a YAML file."""
    headers = {"content-disposition": 'attachment; filename="suite.yaml"'}
    return Response(as_yaml(suite), media_type="application/yaml", headers=headers)
