"""Values of the record, as odd as they may be."""

from typing import Any

from hypothesis import strategies as st

from benchmaker.record import (
    Attempt,
    Completion,
    Extraction,
    FinishReason,
    Outcome,
    Run,
    RunState,
    Score,
    Selection,
    Setup,
    Step,
    TokenLogprob,
    ToolCall,
    ToolResult,
    Transcript,
    TranscriptMessage,
    Trial,
    UnfinishedConversation,
    Usage,
)
from benchmaker.record.run import BudgetEnd

odd = st.sampled_from(
    ["\x00", "\x1a", "\x1a\x1a", "\ud800", "\ud83d\ude00", "😀", "null", "\x1a0000"]
)
texts = st.lists(st.text(max_size=6) | odd, max_size=4).map("".join)
names = st.tuples(texts, st.text(max_size=3)).map("".join)
reals = st.floats(allow_nan=False)
shares = st.floats(0, 1)
tokens = st.none() | st.integers(-(2**63) + 1, 2**63 - 1)
tuples = st.lists(texts, max_size=3).map(tuple)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | reals | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
maps = st.dictionaries(texts, plain, max_size=3)


def every_field_of(kind: type, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of that kind; a field that nobody draws might be lost in the store unnoticed."""
    assert set(fields) == set(kind.__struct_fields__)
    return st.builds(kind, **fields)


usages = every_field_of(
    Usage,
    input_tokens=tokens,
    cache_read_tokens=tokens,
    cache_write_5m_tokens=tokens,
    cache_write_1h_tokens=tokens,
    output_tokens=tokens,
    reasoning_tokens=tokens,
    flags=tuples,
)
token_logprobs = every_field_of(
    TokenLogprob,
    token=texts,
    logprob=reals,
    alternatives=st.lists(st.tuples(texts, reals), max_size=3).map(tuple),
)
tool_calls = every_field_of(ToolCall, name=texts, arguments=maps | texts, id=st.none())
transcript_messages = every_field_of(
    TranscriptMessage,
    role=st.sampled_from(["user", "assistant", "tool"]),
    content=texts,
    tool_calls=st.lists(tool_calls, max_size=2).map(tuple),
    name=st.none() | texts,
    is_error=st.booleans(),
)
transcripts = every_field_of(
    Transcript,
    messages=st.lists(transcript_messages, max_size=3).map(tuple),
    steps=st.none() | st.integers(0, 1000),
    stopped_by=st.none() | texts,
)
completions = every_field_of(
    Completion,
    text=texts,
    finish=st.sampled_from(FinishReason),
    usage=st.none() | usages,
    latency_s=st.none() | reals,
    first_byte_s=st.none() | reals,
    cost_usd=st.none() | reals,
    model=st.none() | texts,
    flags=tuples,
    logprobs=st.lists(token_logprobs, max_size=3).map(tuple),
    tool_calls=st.just(()),  # of single replies, which are not stored
    continuation=st.none(),
    transcript=st.none() | transcripts,
)
scores = every_field_of(
    Score,
    score=st.none() | shares,
    confidence=st.none() | shares,
    notes=texts,
    raw_score=st.none() | reals,
    max_score=st.none() | reals,
    scorer=texts,
    scorer_version=texts,
    profile=texts,
    parameters=maps,
    extraction=st.none() | every_field_of(Extraction, rule=texts, text=texts),
    expected=st.none() | texts,
    also_expected=tuples,
    detail=maps,
    flags=tuples,
)
attempts = every_field_of(
    Attempt,
    number=st.integers(1, 99),
    status=texts,
    started_at=texts,
    first_byte_s=st.none() | reals,
    last_byte_s=st.none() | reals,
    usage=st.none() | usages,
    cost_usd=st.none() | reals,
    error_type=st.none() | texts,
    error=st.none() | texts,
    partial_text=st.none() | texts,
    flags=tuples,
)


def in_order(some: list[Attempt]) -> tuple[Attempt, ...]:
    return tuple(sorted(some, key=lambda attempt: attempt.number))


results = every_field_of(ToolResult, text=texts, is_error=st.booleans())
steps = every_field_of(
    Step, completion=completions, results=st.lists(results, max_size=2).map(tuple)
)
conversations = every_field_of(
    UnfinishedConversation,
    key=texts,
    messages=st.lists(transcript_messages, max_size=2).map(tuple),
    steps=st.lists(steps, max_size=2).map(tuple),
    last=st.none() | completions,
)


def trials(run_id: str, model: str) -> st.SearchStrategy[Trial]:
    """Trials of one run; the version is what the store will give."""

    def of(score: Score | None) -> st.SearchStrategy[Trial]:
        return every_field_of(
            Trial,
            run_id=st.just(run_id),
            case_id=names,
            model=st.just(model),
            position=st.integers(0, 2**31),
            outcome=st.sampled_from(Outcome),
            completion=st.none() | completions,
            attempts=st.lists(attempts, max_size=3, unique_by=lambda one: one.number).map(in_order),
            score=st.just(score),
            score_version=st.just(0 if score is None else 1),
            messages_hash=texts,
            weight=st.floats(0, allow_nan=False),
            category=st.none() | texts,
            difficulty=st.none() | texts,
            tags=tuples,
            group=st.none() | texts,
            error_type=st.none() | texts,
            error=st.none() | texts,
            flags=tuples,
            finished_at=texts,
            conversation=st.none() | conversations,
            stored_attempts=st.just(0),
        )

    return (st.none() | scores).flatmap(of)


setups = every_field_of(
    Setup,
    name=names,
    model=names,
    label=texts,
    prompt_id=st.none() | names,
    effort=st.none() | texts,
    parameters=maps,
)


def runs(suite_hash: str, run_id: str) -> st.SearchStrategy[Run]:
    counts = st.integers(0, 2**31)
    return every_field_of(
        Run,
        id=texts.map(lambda tail: run_id + tail),
        suite_hash=st.just(suite_hash),
        suite_name=texts,
        models=st.lists(names, max_size=4, unique=True).map(tuple),
        profile=texts,
        profile_version=texts,
        metric=st.sampled_from(("mean", "strict")),
        number=counts,
        series_id=st.none(),
        selection=every_field_of(
            Selection,
            limit=st.none() | counts,
            categories=tuples,
            tags=tuples,
            cases=tuples,
            filter=st.none() | texts,
            filter_of=st.none() | texts,
            failed_of=st.none() | texts,
            sample=st.none() | counts,
            sample_seed=st.none() | counts,
            ids=st.none() | tuples,
            ids_by_setup=st.none() | st.dictionaries(texts, tuples, max_size=3),
        ),
        parameters=maps,
        system_prompt=st.none() | texts,
        judge_prompt=st.none() | texts,
        judge_model=st.none() | texts,
        judge=maps,
        calibration_id=st.none() | texts,
        benchmark_mode=st.booleans(),
        provider=maps,
        options=maps,
        seed=st.none() | st.integers(),
        planned=counts,
        state=st.sampled_from(RunState),
        started_at=texts,
        finished_at=st.none() | texts,
        package_version=texts,
        price_version=st.none() | texts,
        imported_from=st.none() | texts,
        rescored_from=st.none() | texts,
        rescored_at=st.none() | texts,
        not_run=tuples,
        dropped=tuples,
        setups=st.lists(setups, max_size=3).map(tuple),
        overrides=maps,
        dismissed_at=st.none() | texts,
        budget_end=st.none() | st.builds(BudgetEnd, usd=reals, reason=texts),
        notes=tuples,
        actor=texts,
    )
