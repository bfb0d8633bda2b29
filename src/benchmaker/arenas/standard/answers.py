"""Sources of answers: recorded answers from a file, a Python provider, or live models."""

import inspect
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import ValidationError

from benchmaker.arenas.standard.live import KIND as LIVE
from benchmaker.arenas.standard.live import LiveOptions, open_live
from benchmaker.engine.requests.limits import REPLAY, RunLimits
from benchmaker.errors import SpecError
from benchmaker.providers.base import Provider
from benchmaker.record import Run, Setup
from benchmaker.record.counts import count
from benchmaker.spec import AnswerFields, Case, Suite
from benchmaker.spec.documents.messages import kind

if TYPE_CHECKING:
    from benchmaker.providers.function import Answer

RECORDED = "recorded"

Fields = AnswerFields | Mapping[str, Any]
Models: TypeAlias = "Sequence[str | Answer]"
"""Models by name, and functions that return answers."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The source of the answers, and its models.

    ``runs`` is the number of runs in a file; None if there is no limit. ``description`` is the
    provider's description for a run's record. ``setups`` are those found in a file.
    """

    provider: Provider
    models: tuple[str, ...]
    runs: int | None
    description: dict[str, Any]
    setups: tuple[Setup, ...] = ()

    @property
    def limits(self) -> RunLimits:
        """The limits of concurrency for them."""
        return REPLAY if self.runs is not None else RunLimits()

    def runs_for(self, wanted: int | None) -> int:
        """Return the number of runs to make: the requested number, else all in a file, else one.

        Raises:
            SpecError: more than the file holds.
        """
        number = (self.runs or 1) if wanted is None else wanted
        if self.runs is not None and number > self.runs:
            raise SpecError(
                f"{count(number, 'run')} requested, but the recorded answers have {self.runs}.",
                where=str(self.description.get("path", "")),
                hint=f"Request at most {self.runs}, or record more with the field 'run'.",
            )
        return number

    def refuse_strangers(self, cases: Iterable[Case]) -> None:
        """Refuse recorded answers of which none is to one of these cases.

        Raises:
            SpecError: no id of the file is an id of a case.
        """
        has_any = getattr(self.provider, "has_any", None)
        if has_any is None or has_any(case.id for case in cases):
            return
        ids = [case.id for case in cases]
        strangers = self.provider.unmatched_ids(ids)  # type: ignore[attr-defined]  # recorded answers
        raise SpecError(
            f"the ids of the recorded answers ({', '.join(strangers)}) are not in the suite, whose "
            f"first case is {ids[0]}.",
            where=str(self.description.get("path", "")),
            hint="Correct the ids, or map their field with --fields case=NAME.",
        )

    def notes_on(self, cases: Iterable[Case]) -> tuple[str, ...]:
        """Return notes: answers to no case, other numbers of runs, skipped models."""
        strays = self._unmatched_notes(cases)
        renumbered: str = getattr(self.provider, "renumbering_note", "")
        numbered = (renumbered,) if renumbered else ()
        skipped: Mapping[str, str] = getattr(self.provider, "skipped", {})
        left_out = (f"skipped {model}: {why}" for model, why in skipped.items())
        return (*strays, *numbered, *left_out)

    def _unmatched_notes(self, cases: Iterable[Case]) -> tuple[str, ...]:
        unmatched = getattr(self.provider, "count_unmatched", None)
        if unmatched is None:
            return ()
        ids = [case.id for case in cases]
        if not (number := unmatched(ids)):
            return ()
        from benchmaker.providers.recordings.unmatched import (  # noqa: PLC0415  for strays alone
            unmatched_note,
        )

        strangers = self.provider.unmatched_ids(ids)  # type: ignore[attr-defined]  # recorded answers
        return (unmatched_note(number, strangers, ids),)

    def select(self, prompts: Sequence[str] | str, efforts: Sequence[str] | str) -> "Answers":
        """Return the setups of a file with one of these prompts and efforts; by default all.

        Raises:
            SpecError: the file has no answers of such a setup.
        """
        wanted = {"prompt_id": prompts, "effort": efforts}
        setups = self.setups or tuple(Setup(name=name, model=name) for name in self.models)
        for field, names in wanted.items():
            chosen = {names} if isinstance(names, str) else set(names)
            setups = tuple(it for it in setups if not chosen or getattr(it, field) in chosen)
        if not setups:
            raise SpecError(
                "the recorded answers have none with this prompt and effort.",
                where=str(self.description.get("path", "")),
                hint="Name others, or leave out prompts and efforts.",
            )
        return replace(
            self,
            models=tuple(one.name for one in setups),
            setups=setups if self.setups else (),
        )

    @property
    def price_version(self) -> str | None:
        """The version of the prices used for costs; None without prices."""
        version: str | None = getattr(self.provider, "price_version", None)
        return version

    @property
    def request_s(self) -> float | None:
        """The maximum duration of one request; None without a limit."""
        limits = getattr(self.provider, "limits", None)
        total_s: float | None = getattr(limits, "total_s", None)
        return total_s

    @asynccontextmanager
    async def session(self) -> AsyncIterator["Answers"]:
        """Open the source; afterwards its resources are released."""
        try:
            yield self
        finally:
            close = getattr(self.provider, "close", None)
            closing = close() if close is not None else None
            if inspect.isawaitable(closing):
                await closing


def wanted_models_of(
    suite: Suite,
    models: "Models | str",
    *,
    recorded: str | Path | None,
    provider: "Provider | Answer | None",
) -> Models:
    """Return the given models, else those of the provider, else the suite's.

    Those of a file are found when it is read.

    Raises:
        SpecError: they are no list.
    """
    given = _as_list(models)
    if given or recorded is not None:
        return given
    of_provider = list(getattr(provider, "models", ()))
    if of_provider or provider is None or suite.models:
        return of_provider or [one.name for one in suite.models]
    if isinstance(provider, type) or not callable(provider):
        return []
    from benchmaker.providers.function import name_of  # noqa: PLC0415  for functions alone

    return [name_of(provider)]


def open_answers(
    recorded: str | Path | None = None,
    provider: "Provider | Answer | None" = None,
    *,
    fields: Fields | None = None,
    models: "Models | str" = (),
    live: LiveOptions | None = None,
    setups: Sequence[Setup] = (),
) -> Answers:
    """Open the answers of a file or a provider, else of live models.

    With ``setups``, requests name the setup instead of the model.

    Raises:
        SpecError: no source, or both a file and a provider; an unreadable file, an unknown model,
            or a provider without models.
        PrerequisiteError: a live model's key or program is missing.
    """
    models = _as_list(models)
    if recorded is None and provider is None and models:
        named = _models_by_setup(models, setups) if setups else models
        return _of_live(open_live(named, live or LiveOptions()))
    names = _names(models)
    if recorded is not None and provider is None:
        return _of_file(Path(recorded), _answer_fields(fields), names)
    if provider is not None and recorded is None:
        source = provider_of(provider, names)
        return (
            _of_provider(*_with_setups(source, setups)) if setups else _of_provider(source, names)
        )
    if recorded is not None:
        raise SpecError(
            "both recorded answers and a provider are given.",
            hint="Remove one of recorded and provider.",
        )
    raise SpecError(
        "no model and no answers given.",
        hint="Add models=['openai/gpt-4o-mini'], recorded='answers.jsonl' (a file of answers), or "
        "provider (a function that answers).",
    )


def reopen_answers(
    run: Run,
    *,
    recorded: str | Path | None = None,
    provider: "Provider | Answer | None" = None,
    live: LiveOptions | None = None,
) -> Answers:
    """Open the answers that the run was started with.

    ``recorded`` is the file's current path. A Python provider must be passed again; live models are
    queried at their current endpoints.

    Raises:
        SpecError: the file is missing or changed, or the provider is missing.
        PrerequisiteError: a live model's key or program is missing.
    """
    kind = run.provider.get("kind")
    if kind == RECORDED:
        return _same_file(run, Path(recorded or run.provider["path"]))
    if provider is not None and run.setups:
        names = [one.model for one in run.setups]
        return _of_provider(*_with_setups(provider_of(provider, names), run.setups))
    if provider is not None:
        return _of_provider(provider_of(provider, run.models), run.models)
    if kind == LIVE:
        wanted = {one.name: one.model for one in run.setups} or run.models
        return _of_live(open_live(wanted, live or LiveOptions()))
    raise SpecError(
        f"run {run.id} uses a provider given in Python ({run.provider.get('kind', 'unknown')}).",
        hint="Resume it in Python with: benchmaker.resume(run_id, provider=…)",
    )


def _models_by_setup(models: Models, setups: Sequence[Setup]) -> "dict[str, str | Answer]":
    """The model of each setup, by the setup's name; functions as they were given."""
    functions = {function_model(one): one for one in models if callable(one)}
    return {one.name: functions.get(one.model, one.model) for one in setups}


def _with_setups(source: Provider, setups: Sequence[Setup]) -> tuple[Provider, tuple[str, ...]]:
    """A provider that takes requests to setups, and their names."""
    available = getattr(source, "models", ())
    names = tuple(one.name for one in setups)
    if any(name in available for name in names):
        return source, tuple(name for name in names if name in available)
    from benchmaker.providers.setups import SetupRoutes  # noqa: PLC0415  for setups alone

    return SetupRoutes(source, {one.name: one.model for one in setups}), names


def function_model(function: "Answer") -> str:
    """Return the model string of a function that is passed as a model."""
    from benchmaker.providers.function import name_of  # noqa: PLC0415  for functions alone
    from benchmaker.providers.live import FUNCTION  # noqa: PLC0415  as above

    return FUNCTION + name_of(function)


def provider_of(given: "Provider | Answer", models: Sequence[str] = ()) -> Provider:
    """Return the provider; a function gets the given names, else its own.

    Raises:
        SpecError: it is neither a provider nor a function.
    """
    if isinstance(given, Provider) and not isinstance(given, type):
        return given
    if isinstance(given, type) or not callable(given):
        raise SpecError(
            f"{given!r:.80} is not a provider.",
            hint="Pass a provider with complete(request), or a function of the request.",
        )
    from benchmaker.providers.function import Function  # noqa: PLC0415  for functions alone

    return Function(given, models=models)


def _as_list(models: "Models | str") -> Models:
    """The models as a list, also if only one is given."""
    if isinstance(models, str) or callable(models):
        return [models]
    if isinstance(models, Mapping) or not isinstance(models, Collection):
        raise SpecError(
            f"models must be a list of names and functions, not {kind(models)}.",
            hint="Use models=[f]. To give a function a name: provider=f, models=['name'].",
        )
    return list(models)


def _names(models: Models) -> tuple[str, ...]:
    """Return the models by name, if they are already known."""
    names = tuple(one for one in models if isinstance(one, str))
    if wrong := [one for one in models if not isinstance(one, str) and not callable(one)]:
        raise SpecError(f"a model must be a name or a function, not {kind(wrong[0])}.")
    if len(names) < len(models):
        raise SpecError(
            "functions as models exclude recorded and provider.",
            hint="Remove recorded and provider, or give names of models.",
        )
    return names


def _of_live(live: Provider) -> Answers:
    """Open live models, without the unavailable ones."""
    return _of_provider(live, ())


def _of_file(
    path: Path, fields: AnswerFields | None, models: Sequence[str], labels: Sequence[str] = ()
) -> Answers:
    from benchmaker.providers.recorded import Recorded  # noqa: PLC0415  loads numpy

    answers = Recorded.open(path, fields=fields, models=models, labels=labels)
    names = tuple(answers.models)
    return Answers(answers, names, answers.runs, answers.description(), answers.setups)


def _same_file(run: Run, path: Path) -> Answers:
    known = run.provider
    answers = _of_file(
        path, _answer_fields(known.get("fields")), run.models, known.get("run_labels", ())
    )
    before, now = run.provider["sha256"], answers.description["sha256"]
    if before != now:
        answers.provider.close()  # type: ignore[attr-defined]  # recorded answers hold a file
        raise SpecError(
            f"the recorded answers have changed since run {run.id} started "
            f"(SHA-256 was {before}, is {now}).",
            where=str(path),
            hint="Restore the old file to resume, or start a new run.",
        )
    return answers


def _of_provider(provider: Provider, models: tuple[str, ...]) -> Answers:
    names = models or tuple(getattr(provider, "models", ()))
    if not names:
        raise SpecError("the provider has no models.", hint="Give models=(…).")
    describe = getattr(provider, "description", None)
    description = describe() if describe else {"kind": type(provider).__qualname__}
    return Answers(provider, names, None, description)


def _answer_fields(fields: Fields | None) -> AnswerFields | None:
    if fields is None or isinstance(fields, AnswerFields):
        return fields
    try:
        return AnswerFields.model_validate(fields)
    except ValidationError as exc:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors())
        raise SpecError(
            f"invalid field mapping of the recorded answers: {faults}.",
            hint=f"Use the fields {', '.join(AnswerFields.model_fields)}.",
        ) from exc
