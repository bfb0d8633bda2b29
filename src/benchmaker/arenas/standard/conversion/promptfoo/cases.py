"""Tests of promptfoo as cases of a suite."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import (
    DraftSuite,
    NotTranslated,
    Omission,
    unique_id,
)
from benchmaker.arenas.standard.conversion.original_file import (
    OriginalFile,
    read_original,
    read_utf8,
)
from benchmaker.arenas.standard.conversion.promptfoo.assertions import (
    Check,
    TestContext,
    check_from,
    no_assertion,
)
from benchmaker.arenas.standard.conversion.promptfoo.javascript import (
    NotUnderstood,
    parse_expression,
)
from benchmaker.arenas.standard.conversion.promptfoo.javascript_checks import filters_of
from benchmaker.arenas.standard.conversion.promptfoo.javascript_values import evaluate_expression
from benchmaker.arenas.standard.conversion.promptfoo.local_files import FILE, files_at
from benchmaker.arenas.standard.conversion.promptfoo.nunjucks import fill_template, is_template
from benchmaker.arenas.standard.conversion.promptfoo.test_tables import FoundTest

_MOST_CASES = 10_000
_NEEDS_ONE_VALUE = frozenset(
    {"regex", "is-json", "contains-json", "javascript", "contains-any", "contains-all",
     "icontains-any", "icontains-all"}
)  # fmt: skip
_PASSED_OVER = frozenset({"vars", "assert", "description", "threshold", "metadata", "options"})
_OPTIONS = frozenset({"transform", "transformVars", "disableVarExpansion", "disableDefaultAsserts"})
_PARSED = re.compile(r"JSON\.parse\(\s*output\s*\)")
_UNKNOWN = (None,)
"""The filters of a transform that is not translated."""
AUTO_PASS = {"id": "exact", "auto_pass": True}
"""The scorer of a test without assertions, which promptfoo passes."""


@dataclass(slots=True)
class CaseMaker:
    """Makes the cases of the tests of a configuration.

    ``default`` is the configuration's ``defaultTest``; ``sees_object`` is true if all answers are
    JSON objects for JavaScript, by their response format.
    """

    file: OriginalFile
    draft: DraftSuite
    sees_object: bool = False
    taken: set[str] = field(default_factory=set)

    @property
    def default(self) -> dict[str, Any]:
        """The values of ``defaultTest``."""
        found = self.file.data.get("defaultTest")
        return dict(found) if isinstance(found, Mapping) else {}

    def add(self, test: FoundTest) -> None:
        """Add the cases of a test to the draft, or note that there are none."""
        place = len(self.draft.cases)
        try:
            for one in self._cases(test):
                self.draft.cases.append(one)
        except NotTranslated as exc:
            del self.draft.cases[place:]
            reason = f"the test is left out: {exc}"
            self.draft.omit(("cases", place), test.omission((), reason))

    def _cases(self, test: FoundTest) -> Iterator[dict[str, Any]]:
        options = {**(self.default.get("options") or {}), **(test.values.get("options") or {})}
        self._note_options(test)
        variables = self._variables(test, options)
        wanted = str(test.values.get("description") or f"test-{len(self.draft.cases) + 1}")
        assertions = self._assertions(test)
        lists = {name: it for name, it in variables.items() if isinstance(it, list)}
        splits = lists and any(_needs_one_value(it, lists) for _, it in assertions)
        several = _products(variables, lists) if splits else [variables]
        name = unique_id(wanted.strip(), self.taken)
        self.taken.add(name)
        for number, one in enumerate(several, 1):
            parts: dict[str, Any] = (
                {"id": f"{name}/{number}", "group": name} if splits else {"id": name}
            )
            if splits:
                parts["weight"] = round(1 / len(several), 9)
            yield {**parts, **self._case(test, assertions, one, options)}

    def _case(
        self,
        test: FoundTest,
        assertions: Sequence[tuple[Omission, Mapping[str, Any]]],
        variables: dict[str, Any],
        options: Mapping[str, Any],
    ) -> dict[str, Any]:
        made: dict[str, Any] = {"vars": variables} if variables else {}
        threshold = test.values.get("threshold", self.default.get("threshold"))
        context = self._context(test, variables, options, is_shared=threshold is not None)
        checks = [it for one in assertions if (it := self._check(*one, context))]
        if checks:
            made["checks"] = checks
        if not any(it.get("weight", 1) for it in checks):
            made["scorer"] = AUTO_PASS
        elif threshold is not None:
            made["threshold"] = threshold
        metadata = {**(self.default.get("metadata") or {}), **(test.values.get("metadata") or {})}
        return made | ({"metadata": metadata} if metadata else {})

    def _context(
        self,
        test: FoundTest,
        variables: Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        is_shared: bool,
    ) -> TestContext:
        single = {name: it for name, it in variables.items() if not isinstance(it, list)}
        transform = options.get("transform")
        filters: tuple[Any, ...] = ()
        is_object = self.sees_object
        if isinstance(transform, str):
            is_object = bool(_PARSED.fullmatch(transform.strip()))
            try:
                filters = tuple(filters_of(transform))
            except NotUnderstood as exc:
                reason = f"the transform of the output is not run: {exc}"
                self._omit(test, ("options", "transform"), reason)
                filters = _UNKNOWN
        return TestContext(single, filters, is_object, is_shared)

    def _check(
        self,
        place: Omission,
        assertion: Mapping[str, Any],
        context: TestContext,
    ) -> Check | None:
        """The check of an assertion; without a verdict if there is none."""
        if assertion.get("type") == "assert-set":
            return self._set(place, assertion, context)
        if context.filters == _UNKNOWN:
            return no_assertion(assertion, "the transform of the output is not run", context)
        try:
            return check_from(assertion, context)
        except NotTranslated as exc:
            self.draft.omit(("cases", len(self.draft.cases)), place._replace(what=str(exc)))
            return no_assertion(assertion, str(exc), context)

    def _set(
        self,
        place: Omission,
        assertion: Mapping[str, Any],
        context: TestContext,
    ) -> Check:
        inner = [self._check(place, it, context) for it in assertion.get("assert") or ()]
        made: Check = {"type": "set", "checks": [it for it in inner if it]}
        threshold = assertion.get("threshold")
        if threshold is None and context.is_shared:
            threshold = 0
        if threshold is not None:
            made["threshold"] = threshold
        named = {name: it for name in ("weight", "metric") if (it := assertion.get(name))}
        return {**made, **named} | ({"weight": 0} if assertion.get("weight") == 0 else {})

    def _assertions(self, test: FoundTest) -> list[tuple[Omission, Mapping[str, Any]]]:
        """The assertions of ``defaultTest`` and of the test, each with its place."""
        found: list[tuple[Omission, Mapping[str, Any]]] = []
        if not (test.values.get("options") or {}).get("disableDefaultAsserts"):
            for place, one in enumerate(self.default.get("assert") or ()):
                found.append((self.file.omission(("defaultTest", "assert", place), ""), one))
        for place, one in enumerate(test.values.get("assert") or ()):
            found.append((test.omission(("assert", place), ""), one))
        return [(it, one) for it, one in found if isinstance(one, Mapping)]

    def _variables(self, test: FoundTest, options: Mapping[str, Any]) -> dict[str, Any]:
        given = {**(self.default.get("vars") or {}), **(test.values.get("vars") or {})}
        made = self._transform(given, options)
        values = {str(name): _value(it, self.file.path.parent) for name, it in made.items()}
        if any(it == [] for it in values.values()):
            raise NotTranslated("a variable has an empty list of values")
        if options.get("disableVarExpansion"):
            values = {name: _join(it) for name, it in values.items()}
        return _resolve(values)

    def _transform(self, given: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        source = options.get("transformVars")
        if source is None:
            return given
        try:
            made = evaluate_expression(parse_expression(str(source)), {"vars": given})
        except NotUnderstood as exc:
            raise NotTranslated(f"the transform of its variables is not run: {exc}") from exc
        return {**given, **made} if isinstance(made, dict) else given

    def _note_options(self, test: FoundTest) -> None:
        """Note the parts of a test that have no counterpart."""
        for key in test.values.keys() - _PASSED_OVER:
            self._omit(test, (key,), _NOTES.get(key, f"{key} of a test has no counterpart"))
        own = test.values.get("options") or {}
        for key in own.keys() - _OPTIONS:
            if key in {"prefix", "suffix"} and own[key]:
                raise NotTranslated(f"it has a {key} of its own around each prompt")
            self._omit(test, ("options", key), _NOTES.get(key, f"the option {key} is not used"))

    def _omit(self, test: FoundTest, keys: tuple[str, ...], what: str) -> None:
        values: Any = test.values
        for step in keys:
            values = values.get(step) if isinstance(values, Mapping) else None
        is_own = values is not None
        where = (
            test.omission(keys, what)
            if is_own
            else self.file.omission(("defaultTest", *keys), what)
        )
        self.draft.omit(("cases", len(self.draft.cases)), where)


_NOTES = {
    "providerOutput": "the recorded output is not used; score it with run --recorded",
    "providers": "the case runs with every model",
    "provider": "the case runs with every model",
    "prompts": "the case runs with every prompt",
    "assertScoringFunction": "the function that scores the test is not run",
    "repeat": "repeat the suite with --runs",
}


def _needs_one_value(assertion: Mapping[str, Any], lists: Mapping[str, Any]) -> bool:
    """True if an assertion is translated for each value of a variable apart."""
    if assertion.get("type") == "assert-set":
        return any(_needs_one_value(it, lists) for it in assertion.get("assert") or ())
    base = str(assertion.get("type", "")).removeprefix("not-")
    value, metric = str(assertion.get("value", "")), str(assertion.get("metric", ""))
    is_used = any(name in value for name in lists) and (is_template(value) or base == "javascript")
    return is_template(metric) or (base in _NEEDS_ONE_VALUE and is_used)


def _products(variables: Mapping[str, Any], lists: Mapping[str, Any]) -> list[dict[str, Any]]:
    values = [it if name in lists else [it] for name, it in variables.items()]
    made = [dict(zip(variables, one, strict=True)) for one in product(*values)]
    if len(made) > _MOST_CASES:
        raise NotTranslated(f"its lists make more than {_MOST_CASES:,} cases")
    return made


def _value(given: Any, folder: Path) -> Any:  # noqa: ANN401  any JSON
    """The value of a variable, read from its file if it names one."""
    if isinstance(given, str):
        if given.startswith(FILE):
            texts = [_content(it) for it in files_at(given, folder)]
            return texts if len(texts) > 1 else texts[0]
        return given.removesuffix("\n")
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if isinstance(given, list):
        return [_flat(_value(it, folder)) for it in given]
    return given


def _flat(value: Any) -> Any:  # noqa: ANN401  any JSON
    if isinstance(value, list):
        raise NotTranslated("a variable has a list within a list")
    return value


def _content(path: Path) -> str:
    import json  # noqa: PLC0415  for files alone

    if path.suffix in {".yaml", ".yml"}:
        return json.dumps(read_original(path).data, ensure_ascii=False, separators=(",", ":"))
    if path.suffix in {".js", ".cjs", ".mjs", ".ts", ".py", ".rb"}:
        raise NotTranslated("a variable comes from a program")
    if path.suffix in {".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp3", ".wav", ".mp4"}:
        raise NotTranslated("a variable is no text")
    return read_utf8(path).strip()


def _join(value: Any) -> Any:  # noqa: ANN401  any JSON
    if not isinstance(value, list):
        return value
    if any(isinstance(it, (dict, list)) for it in value):
        raise NotTranslated("a variable is a list of objects that is not expanded")
    return ",".join(map(str, value))


def _resolve(values: dict[str, Any]) -> dict[str, Any]:
    """The variables with those fill_template in that name others."""
    single = {name: it for name, it in values.items() if not isinstance(it, list)}
    return {
        name: fill_template(it, single) if isinstance(it, str) and is_template(it) else it
        for name, it in values.items()
    }
