"""All tests of a configuration in their order, with defaults and scenarios applied."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import DraftSuite, NotTranslated
from benchmaker.arenas.standard.conversion.original_file import Keys, OriginalFile
from benchmaker.arenas.standard.conversion.promptfoo.local_files import FILE
from benchmaker.arenas.standard.conversion.promptfoo.test_tables import FoundTest, tests_at
from benchmaker.errors import SpecError

_MERGED = ("vars", "options", "metadata")


def tests_of(file: OriginalFile, draft: DraftSuite) -> Iterator[FoundTest]:
    """Yield the tests under ``tests``, then those of the scenarios; without both, an empty one.

    Entries that are not read are noted in the draft. Source: buildTestsFromSuite in
    src/evaluator.ts of promptfoo 0.121.20.
    """
    listed, scenarios = file.data.get("tests"), file.data.get("scenarios")
    found = 0
    for one in _entries(listed, file, ("tests",), draft):
        found += 1
        yield one
    if not found and not scenarios and not listed:
        yield FoundTest({}, file, ("tests",))
    for place, scenario in enumerate(scenarios if isinstance(scenarios, list) else ()):
        yield from _scenario_tests(scenario, file, ("scenarios", place), draft)


def _entries(
    given: Any,  # noqa: ANN401  any JSON
    file: OriginalFile,
    keys: Keys,
    draft: DraftSuite,
) -> Iterator[FoundTest]:
    """The tests of a list, of a file, or of files in a list."""
    if given is None:
        return
    several = given if isinstance(given, list) else [given]
    for place, one in enumerate(several):
        at: Keys = (*keys, place) if isinstance(given, list) else keys
        if isinstance(one, Mapping) and not {"path", "config"} >= one.keys():
            yield FoundTest(dict(one), file, at)
        else:
            yield from _from_file(one, file, at, draft)


def _from_file(one: Any, file: OriginalFile, at: Keys, draft: DraftSuite) -> Iterator[FoundTest]:  # noqa: ANN401  any JSON
    if not isinstance(one, str):
        what = "tests that a program generates are not read"
        draft.omit(("cases",), file.omission(at, what))
        return
    try:
        yield from tests_at(one, file.path.parent)
    except NotTranslated as exc:
        draft.omit(("cases",), file.omission(at, str(exc)))
    except SpecError as exc:
        draft.omit(("cases",), file.omission(at, exc.message.rstrip(".")))


def _scenario_tests(
    scenario: Any,  # noqa: ANN401  any JSON
    file: OriginalFile,
    keys: Keys,
    draft: DraftSuite,
) -> Iterator[FoundTest]:
    if isinstance(scenario, str) and scenario.startswith(FILE):
        draft.omit(("cases",), file.omission(keys, "a scenario in a file of its own is not read"))
        return
    data = list(_entries(scenario.get("config"), file, (*keys, "config"), draft))
    tests = list(_entries(scenario.get("tests"), file, (*keys, "tests"), draft))
    for one in data:
        for test in tests or [FoundTest({}, file, keys)]:
            yield test._replace(values=_merge(one.values, test.values))


def _merge(data: Mapping[str, Any], test: Mapping[str, Any]) -> dict[str, Any]:
    made = {**data, **test}
    for name in _MERGED:
        if name in data or name in test:
            made[name] = {**(data.get(name) or {}), **(test.get(name) or {})}
    made["assert"] = [*(data.get("assert") or ()), *(test.get("assert") or ())]
    return made
