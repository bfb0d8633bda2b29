"""A configuration of promptfoo as a suite."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import (
    DraftSuite,
    NotTranslated,
    unique_id,
)
from benchmaker.arenas.standard.conversion.original_file import OriginalFile, read_original
from benchmaker.arenas.standard.conversion.promptfoo.assertions import JUDGED
from benchmaker.arenas.standard.conversion.promptfoo.cases import CaseMaker
from benchmaker.arenas.standard.conversion.promptfoo.nunjucks import names_in
from benchmaker.arenas.standard.conversion.promptfoo.prompts import prompts_from
from benchmaker.arenas.standard.conversion.promptfoo.providers import (
    DEFAULTS,
    provider_entries,
    provider_from,
)
from benchmaker.arenas.standard.conversion.promptfoo.test_list import tests_of
from benchmaker.errors import SpecError
from benchmaker.scoring.checks.conflicts import conflicts
from benchmaker.spec import CheckSpec, Family

TOOL = "promptfoo"
DEFAULT_JUDGE = "openai/gpt-4.1-2025-04-14"
"""The model that grades in promptfoo 0.121 unless a configuration names another."""

_USED = frozenset(
    {"prompts", "providers", "targets", "tests", "scenarios", "defaultTest", "description",
     "assertionTemplates", "$schema"}
)  # fmt: skip
_NOTES = {
    "derivedMetrics": "derived metrics have no counterpart; calculate with the exported scores",
    "evaluateOptions": "set these when you run: --runs, --concurrency and --cache",
    "commandLineOptions": "set these when you run: --runs, --concurrency and --cache",
    "outputPath": "write results with: benchmaker export latest --output FILE",
    "writeLatestResults": "every run is stored",
    "env": "variables of the environment are not set by a suite",
    "extensions": "extensions are programs, which are not run",
    "nunjucksFilters": "filters of templates are programs, which are not run",
    "redteam": "red teaming has no counterpart",
    "tags": "a suite has no tags",
    "sharing": "results are not shared",
}


def is_configuration(data: Any) -> bool:  # noqa: ANN401  any JSON
    """True if the data of a file look like a configuration of promptfoo."""
    return isinstance(data, Mapping) and "prompts" in data and "cases" not in data


def convert_configuration(path: Path) -> DraftSuite:
    """Return the suite of a configuration.

    Raises:
        SpecError: it can't be read, or no prompt or no test can be carried over.
    """
    file = read_original(path)
    file = OriginalFile(path, _dereference(file.data, file.data), file.mark, file.lines)
    draft = DraftSuite(TOOL, path.name)
    draft.header = {"name": _name(file), "profile": "robust"}
    _note_keys(file, draft)
    formats = _add_models(file, draft)
    formats += _add_prompts(file, draft)
    maker = CaseMaker(file, draft, sees_object=bool(formats) and all(map(_is_schema, formats)))
    for test in tests_of(file, draft):
        maker.add(test)
    if not draft.cases:
        raise SpecError(f"no test of {path.name} can be carried over.", where=str(path))
    _part_opposites(draft)
    _lift_checks(draft)
    _add_judge(file, draft)
    _add_unset_variables(draft)
    return draft


def _name(file: OriginalFile) -> str:
    text = str(file.data.get("description") or file.path.stem).strip().split("\n")[0]
    return text[:200] or "suite"


def _note_keys(file: OriginalFile, draft: DraftSuite) -> None:
    for key in file.data:
        if key not in _USED:
            what = _NOTES.get(key, f"{key} has no counterpart")
            draft.omit((), file.omission((key,), what))
    default = file.data.get("defaultTest")
    if isinstance(default, str):
        draft.omit((), file.omission(("defaultTest",), "a default test in a file is not read"))
    elif isinstance(default, Mapping):
        for key in default.keys() - {"vars", "assert", "threshold", "metadata", "options"}:
            what = f"{key} of the default test has no counterpart"
            draft.omit((), file.omission(("defaultTest", key), what))
        known = {
            "transform",
            "transformVars",
            "disableVarExpansion",
            "prefix",
            "suffix",
            "provider",
        }
        for key in (default.get("options") or {}).keys() - known:
            what = f"the option {key} has no counterpart"
            draft.omit((), file.omission(("defaultTest", "options", key), what))


def _add_models(file: OriginalFile, draft: DraftSuite) -> list[Any]:
    """Add the models; returns their response formats."""
    name = "providers" if "providers" in file.data else "targets"
    models: list[dict[str, Any]] = []
    formats: list[Any] = []
    for place, provider, options in provider_entries(file.data.get(name)):
        is_list = isinstance(file.data.get(name), list)
        at = (name, place) if is_list else (name,)
        try:
            found = provider_from(provider, options)
        except NotTranslated as exc:
            draft.omit(("models",), file.omission(at, f"{exc}; give a model with --model"))
            continue
        for key in found.unknown_keys:
            config = _config_keys(at, provider, options)
            draft.omit(("models",), file.omission((*config, key), f"no parameter is like {key}"))
        models.append(found.model)
        formats.append(found.response_format)
    if models:
        draft.header["models"] = _label(models)
    draft.header["parameters"] = dict(DEFAULTS)
    return [it for it in formats if it]


def _config_keys(
    at: tuple[str | int, ...], provider: str, options: Mapping[str, Any]
) -> tuple[str | int, ...]:
    return (*at, "config") if "id" in options else (*at, provider, "config")


def _label(models: list[dict[str, Any]]) -> list[Any]:
    """The models with labels where two have the same name."""
    taken: set[str] = set()
    for one in models:
        name = unique_id(str(one.get("label", one["model"])), taken)
        taken.add(name)
        if name != one["model"]:
            one["label"] = name
    return [one["model"] if one.keys() == {"model"} else one for one in models]


def _add_prompts(file: OriginalFile, draft: DraftSuite) -> list[Any]:
    """Add the prompts; returns their response formats."""
    given = file.data.get("prompts")
    options = (
        (file.data.get("defaultTest") or {}).get("options")
        if isinstance(file.data.get("defaultTest"), Mapping)
        else None
    )
    around = {key: it for key, it in (options or {}).items() if key in {"prefix", "suffix"}}
    prompts: list[dict[str, Any]] = []
    formats: list[Any] = []
    for place, one in enumerate(given if isinstance(given, list) else [given]):
        at = ("prompts", place) if isinstance(given, list) else ("prompts",)
        try:
            entry = {**around, **(one if isinstance(one, Mapping) else {"raw": one})}
            found = list(prompts_from(entry, file.path.parent))
        except (NotTranslated, SpecError) as exc:
            reason = str(exc) if isinstance(exc, NotTranslated) else exc.message
            draft.omit(("prompts",), file.omission(at, f"the prompt is left out: {reason}"))
            continue
        for each in found:
            prompts.append(each.prompt)
            formats.append(each.response_format)
            for key in each.unknown_keys:
                where = file.omission((*at, "config", key), f"no parameter is like {key}")
                draft.omit(("prompts", len(prompts) - 1), where)
    if not prompts:
        raise SpecError(f"no prompt of {file.path.name} can be carried over.", where=str(file.path))
    draft.header["prompts"] = _name_prompts(prompts)
    return [it for it in formats if it]


def _name_prompts(prompts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    taken: set[str] = set()
    made = []
    for place, one in enumerate(prompts, 1):
        name = unique_id(str(one.get("id", f"prompt-{place}")), taken)
        taken.add(name)
        made.append({**one, "id": name} if "id" in one or name != f"prompt-{place}" else one)
    return made


def _is_schema(value: Any) -> bool:  # noqa: ANN401  any JSON
    return isinstance(value, Mapping) and value.get("type") == "json_schema"


def _part_opposites(draft: DraftSuite) -> None:
    """Put the checks of a case into sets of their own where no answer passes all of them.

    Such a suite would be refused; promptfoo scores such a test 0.
    """
    for one in draft.cases:
        checks = one.get("checks", ())
        threshold = one.get("threshold")
        specs = [CheckSpec.model_validate(it) for it in checks]
        if any(True for _ in conflicts(specs, threshold, Family.ROBUST)):
            one["checks"] = [_alone(it, threshold) for it in checks]


def _alone(check: dict[str, Any], threshold: float | None) -> dict[str, Any]:
    outer = {name: it for name, it in check.items() if name in {"weight", "metric"}}
    inner = {name: it for name, it in check.items() if name not in outer}
    made = {"type": "set", "checks": [inner], **outer}
    return made if threshold is None else {**made, "threshold": 0}


def _lift_checks(draft: DraftSuite) -> None:
    """Move the checks that begin every case into the suite."""
    lists: list[list[dict[str, Any]]] = [one.get("checks", []) for one in draft.cases]
    if len(lists) < 2:  # noqa: PLR2004  one case keeps its checks
        return
    shared = 0
    while all(len(it) > shared and it[shared] == lists[0][shared] for it in lists):
        shared += 1
    if not shared:
        return
    draft.header["checks"] = lists[0][:shared]
    for one, checks in zip(draft.cases, lists, strict=True):
        one["checks"] = checks[shared:]
        if not one["checks"]:
            del one["checks"]


def _add_judge(file: OriginalFile, draft: DraftSuite) -> None:
    """Name the judge that promptfoo asks, if a check needs one."""
    lists = [draft.header.get("checks", ()), *(one.get("checks", ()) for one in draft.cases)]
    if not any(map(_needs_judge, (check for one in lists for check in one))):
        return
    draft.header["judge"] = DEFAULT_JUDGE
    default = file.data.get("defaultTest")
    options = (default.get("options") or {}) if isinstance(default, Mapping) else {}
    if "provider" not in options:
        return
    for _, name, settings in provider_entries(options["provider"]):
        try:
            draft.header["judge"] = provider_from(name, settings).model["model"]
        except NotTranslated as exc:
            at = ("defaultTest", "options", "provider")
            draft.omit(("judge",), file.omission(at, f"{exc}; the judge is {DEFAULT_JUDGE}"))


def _needs_judge(check: Mapping[str, Any]) -> bool:
    return check["type"] in JUDGED or any(map(_needs_judge, check.get("checks", ())))


def _add_unset_variables(draft: DraftSuite) -> None:
    """Set the variables to an empty text that some case lacks, as in Nunjucks."""
    texts = list(_texts([draft.header["prompts"], draft.header.get("checks")]))
    texts += _texts([one.get("checks") for one in draft.cases])
    used = names_in(texts)
    unset = {name for name in used if any(name not in one.get("vars", {}) for one in draft.cases)}
    if unset:
        made = dict(draft.header)
        draft.header = {"name": made.pop("name"), "profile": made.pop("profile")}
        draft.header |= {"vars": dict.fromkeys(sorted(unset), ""), **made}


def _texts(value: Any) -> list[str]:  # noqa: ANN401  any JSON
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [it for key, one in value.items() if key != "filters" for it in _texts(one)]
    if isinstance(value, (list, tuple)):
        return [it for one in value for it in _texts(one)]
    return []


def _dereference(value: Any, root: Any, depth: int = 0) -> Any:  # noqa: ANN401  any JSON
    """The value with each ``$ref`` into the configuration replaced by what it names."""
    if isinstance(value, list):
        return [_dereference(it, root, depth) for it in value]
    if not isinstance(value, Mapping):
        return value
    pointer = value.get("$ref")
    if isinstance(pointer, str) and pointer.startswith("#/") and depth < 20:  # noqa: PLR2004
        found = _at_pointer(root, pointer)
        if found is not None:
            rest = {key: it for key, it in value.items() if key != "$ref"}
            made = _dereference(found, root, depth + 1)
            return {**made, **rest} if isinstance(made, dict) else made
    return {key: _dereference(it, root, depth) for key, it in value.items()}


def _at_pointer(root: Any, pointer: str) -> Any:  # noqa: ANN401  any JSON
    found = root
    for step in pointer[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found
