"""The page of the suite file, from the models that read it."""

from collections.abc import Iterator, Mapping
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from benchmaker.spec import (
    AnswerFields,
    Case,
    CaseFields,
    CheckSpec,
    JudgeSpec,
    Message,
    Parameters,
    Policies,
)
from benchmaker.spec.suites.prompts import FewShot, ModelSpec, Prompt
from benchmaker.spec.suites.suite_form import CaseSource, SuiteForm
from benchmaker.spec.suites.tools import Tool

HEAD = """\
# Suite file

A suite is a YAML (1.2) or JSON file. A JSONL, CSV, Parquet or Excel file is a suite of its cases
alone, named after the file; JSONL and CSV also with `.gz`. An unknown key is refused with the
nearest one. `benchmaker schema` prints the same as JSON Schema, installed scorers included.

```yaml
name: sums
profile: robust
scorer: numeric
cases:
  - {id: a, prompt: What is 2 + 2?, expected: 4}
```

YAML tags, growing aliases, duplicate keys, nesting beyond 50 and files beyond 10 MB are refused.
`NO` is the text "NO". A number where text is meant keeps its spelling.
"""

PATHS = """\
A path names a field (`question`) or goes through lists and mappings (`turns.0.content`). With
braces it is a template of paths (`{task}-{mode}-{i}`; `{{` is a brace). `$line` is the number of
the line, `.` the whole line, and `=text` stands for that text. Nothing else is evaluated.
"""

POLICIES = "The score of an answer that is empty, filtered, refused or cut off."

SAME = "Paths are written as for cases."

PARTS: Mapping[str, tuple[type[BaseModel], str]] = {
    "Suite": (SuiteForm, "The keys of the document."),
    "Case": (Case, "A case has either `prompt` or `messages`."),
    "Check": (
        CheckSpec,
        "A check in `checks`; other keys are parameters of its scorer. See [Checks](checks.md).",
    ),
    "Tool": (
        Tool,
        "A function for models, from `reply` or `python`: [how-to](../how-to/use-tools.md).",
    ),
    "Prompt": (Prompt, "A prompt has one of `prompt`, `messages` and `file`."),
    "Few-shot examples": (FewShot, "The value of `few_shot` in a prompt."),
    "Model": (ModelSpec, "A model in `models`; a bare name is short for `{model: NAME}`."),
    "Message": (Message, "One turn of `messages`."),
    "Cases from a file": (
        CaseSource,
        "The value of `cases` if it is not a list. It has either `file` or `hf`.",
    ),
    "Fields of cases": (CaseFields, f"The paths of values in a line.\n\n{PATHS.rstrip()}"),
    "Fields of answers": (
        AnswerFields,
        f"The paths of values in a line of recorded answers, for `run --fields`. {SAME}",
    ),
    "Judge": (JudgeSpec, "The judge of scorers that use a model; `run --judge` overrides it."),
    "Parameters": (Parameters, "Sampling parameters, sent with every request and recorded."),
    "Policies": (Policies, f"{POLICIES} A `refusal` check scores the first three."),
}
"""Each part of the page: title, model, first words."""

KEYS: Mapping[tuple[str, str], str] = {
    ("Suite", "name"): "The suite's name in every result; by default the file's name without "
    "its suffix.",
    ("Suite", "description"): "A description of the suite for readers.",
    ("Suite", "system_prompt"): "The system message of each case without its own.",
    ("Suite", "judge_prompt"): "Instructions for judging scorers, instead of the bundled ones; "
    "scale, criteria and reply format are unchanged.",
    ("Suite", "profile"): "The family of definitions, `classic` or `robust`; see "
    "[scoring](../explanation/scoring.md).",
    ("Suite", "scorer"): "The scorer of each case without its own: an id, or "
    "`{id: …}` with [its parameters](scorers.md).",
    ("Suite", "checks"): "[Checks](#check) of the answer to every case.",
    ("Suite", "threshold"): "The weighted share of the checks that passes a case, from 0 to 1; "
    "without it, all checks must pass.",
    ("Suite", "grades"): "Partial credit from `exact` and `numeric` in robust.",
    ("Suite", "metric"): "The metric of tables, comparisons and gates: `mean`, or `strict` "
    "(exactly right).",
    ("Suite", "judge"): "The judge of scorers that use a model: its name, or [a mapping](#judge).",
    ("Suite", "parameters"): "See [Parameters](#parameters).",
    ("Suite", "policies"): "See [Policies](#policies).",
    ("Suite", "models"): "The [models](#model) of a run without `--model`.",
    ("Suite", "efforts"): "Reasoning efforts; every model runs at each of them.",
    ("Suite", "vars"): "Variables of templates, for cases without their own; a list makes one case "
    "of each value.",
    ("Suite", "dataset"): "The Hugging Face dataset of the cases, with its revision and the "
    "fingerprint of its rows; set when `cases` with `hf` are read.",
    ("Suite", "tools"): "[Tools](#tool) that cases may offer to models.",
    ("Suite", "max_steps"): "The maximum number of answers of a model in one trial of a case with "
    "tools.",
    ("Suite", "prompts"): "[Prompts](#prompt); every case runs with each of them.",
    ("Suite", "cases"): "A list of [cases](#case), or [a file of them](#cases-from-a-file).",
    ("Case", "id"): "Unique in the suite.",
    ("Case", "prompt"): "The question, as one text.",
    ("Case", "messages"): "The question, as a [conversation](#message).",
    ("Case", "expected"): "The expected answer; of several, the best match counts.",
    ("Case", "choices"): "The options of a multiple-choice question: texts, letters, or both.",
    ("Case", "scorer"): "The scorer of this case, instead of the suite's.",
    ("Case", "checks"): "[Checks](#check) of this case, in addition to the suite's.",
    ("Case", "threshold"): "The threshold of this case, instead of the suite's.",
    ("Case", "checks_only"): "True to leave out the suite's checks and scorer.",
    ("Case", "weight"): "The case's weight in every mean, from 0 up.",
    ("Case", "category"): "One label, for `--category` and tables.",
    ("Case", "difficulty"): "One label.",
    ("Case", "tags"): "Labels, for `--tag`.",
    ("Case", "group"): "Cases that belong together, for clustered statistics.",
    ("Case", "vars"): "Variables of templates; a list makes one case of each value.",
    ("Case", "rendered"): "True in exported suites, whose texts hold no templates.",
    ("Case", "expansion_of"): "In exported suites, the case whose lists made this one.",
    ("Case", "tools"): "The names of the [tools](#tool) that the model may call.",
    ("Case", "max_steps"): "The maximum number of answers, instead of the suite's.",
    ("Case", "metadata"): "Your own data; stored and never read.",
    ("Case", "page"): "The examination of the answer's page: `checks`, `viewport`, `reference`, "
    "`libraries`; see [the how-to](../how-to/code-arena.md).",
    ("Check", "type"): "The id of a [scorer](scorers.md), or `set` for a check of checks.",
    ("Check", "not"): "True to invert the check.",
    ("Check", "weight"): "The check's share of the score, from 0 up; 0 only reports.",
    ("Check", "threshold"): "The score from which the check passes, from 0 to 1.",
    ("Check", "metric"): "The [metric](checks.md#metric) to which the check contributes.",
    ("Check", "filters"): "[Filters](checks.md#filters) that change the answer before the check.",
    ("Tool", "name"): "Unique in the suite: up to 64 letters, digits, `_` and `-`.",
    ("Tool", "description"): "The purpose of the tool, for the model.",
    ("Tool", "parameters"): "The JSON Schema of the arguments, an object.",
    ("Tool", "reply"): "The result of every call: a text, or JSON.",
    ("Tool", "python"): "The function that gives the results, as `file.py:function`; it gets the "
    "arguments by name.",
    ("Tool", "timeout"): "Seconds of processor time for a call of the function.",
    ("Tool", "sha256"): "The SHA-256 of the function's file, added when the suite is read.",
    ("Prompt", "id"): "The prompt's name in tables; by default that of its file.",
    ("Prompt", "prompt"): "A template of the question.",
    ("Prompt", "messages"): "Templates of a [conversation](#message).",
    ("Prompt", "file"): "A text or YAML file of the prompt; with `*` one prompt per file.",
    ("Prompt", "system_prompt"): "The system message, instead of the suite's; a template.",
    ("Prompt", "parameters"): "[Parameters](#parameters); they take precedence over the suite's.",
    ("Prompt", "few_shot"): "[Examples](#few-shot-examples) that precede the question.",
    ("Few-shot examples", "file"): "A JSONL or CSV file of examples.",
    ("Few-shot examples", "n"): "The number of examples.",
    ("Few-shot examples", "seed"): "The seed by which the examples are chosen.",
    ("Few-shot examples", "user"): "A template of the question over the fields of a line.",
    ("Few-shot examples", "assistant"): "A template of the answer over the fields of a line.",
    ("Few-shot examples", "examples"): "The chosen examples, as in exported suites.",
    ("Model", "model"): "The model, as after `--model`.",
    ("Model", "label"): "The model's name in tables.",
    ("Model", "parameters"): "[Parameters](#parameters); they take precedence over those of "
    "prompts.",
    ("Message", "role"): "`system`, `user` or `assistant`.",
    ("Message", "content"): "The text.",
    ("Cases from a file", "file"): "A data file in the suite's folder or below it: JSONL, JSON, "
    "CSV, Parquet or Excel (`.xlsx`).",
    ("Cases from a file", "sheet"): "The sheet of a workbook that has several.",
    ("Cases from a file", "hf"): "Instead of `file`: a Hugging Face dataset, as `owner/name`, or "
    "`./folder` in the suite's folder.",
    ("Cases from a file", "config"): "The configuration of the dataset.",
    ("Cases from a file", "split"): "The split of the dataset; by default its only one.",
    ("Cases from a file", "revision"): "The commit, branch or tag of the dataset; by default the "
    "newest.",
    ("Cases from a file", "fields"): "The paths of a case's values in a line.",
    ("Cases from a file", "defaults"): "Values of fields that a line omits.",
    ("Fields of cases", "*"): "Path of the case's `{}`.",
    ("Fields of answers", "where"): "Condition of lines to read: `filter=strict-match`.",
    ("Fields of answers", "failed"): "Condition of failed requests, such as `failureReason=2`.",
    ("Fields of answers", "id"): "Path of the case's id.",
    ("Fields of answers", "model"): "Path of the model's name.",
    ("Fields of answers", "prompt_id"): "Path of the id of the prompt.",
    ("Fields of answers", "effort"): "Path of the reasoning effort.",
    ("Fields of answers", "output"): "Path of the answer's text.",
    ("Fields of answers", "run"): "Path of the number of the run, from 1.",
    ("Fields of answers", "usage"): "Path of the tokens.",
    ("Fields of answers", "latency_s"): "Path of the seconds.",
    ("Fields of answers", "cost_usd"): "Path of the dollars.",
    ("Fields of answers", "finish"): "Path of the finish reason: `stop`, `length`, "
    "`filter`, `refusal`, `context_overflow`.",
    ("Fields of answers", "outcome"): "Path of the [outcome](outcomes.md) of the request.",
    ("Fields of answers", "error"): "Path of the error message; it counts if the output is empty "
    "or the outcome is a failure.",
    ("Fields of answers", "logprobs"): "Path of the log probabilities of the answer's tokens, "
    "as in OpenAI's replies.",
    ("Fields of answers", "error_type"): "Path of the type of that error, such as `RateLimited`.",
    ("Fields of answers", "transcript"): "Path of the messages with their tool calls.",
    ("Fields of answers", "tool_calls"): "Path of the tool calls, for lines without messages.",
    ("Fields of answers", "steps"): "Path of the number of answers of the model.",
    ("Fields of answers", "stopped_by"): "Path of `max_steps` for a trial with as many answers as "
    "allowed.",
    ("Fields of answers", "models"): "For lines with several models: each model's name and the "
    "path of its answer; `model` and `output` are then ignored.",
    ("Parameters", "temperature"): "0 to 2; `null` sends none.",
    ("Parameters", "top_p"): "Above 0, up to 1; a written 1 is sent, `null` sends none.",
    ("Parameters", "max_tokens"): "The maximum number of tokens of an answer; `null` sends none. "
    "Thinking adds to it: see [the how-to](../how-to/parameters.md#thinking).",
    ("Parameters", "frequency_penalty"): "-2 to 2; a written 0 is sent, `null` sends none.",
    ("Parameters", "presence_penalty"): "-2 to 2; a written 0 is sent, `null` sends none.",
    ("Parameters", "benchmark_mode"): "Locks temperature and both penalties to 0.",
    ("Parameters", "reasoning_effort"): "`none`, `minimal`, `low`, `medium`, `high` or `xhigh`; "
    "the [fields](parameters.md) depend on the endpoint.",
    ("Parameters", "thinking_budget"): "The maximum number of tokens of thinking.",
    ("Parameters", "stop"): "A list of texts that end the answer.",
    ("Parameters", "top_k"): "At least 1.",
    ("Parameters", "min_p"): "0 to 1.",
    ("Parameters", "seed"): "The seed of the first run; `--seed` takes precedence.",
    ("Parameters", "response_format"): "`json`, or `{type: json_schema, json_schema: {name: …, "
    "schema: …}}`.",
    ("Parameters", "logprobs"): "The number of alternatives per token, 0 to 20.",
    ("Parameters", "extra_body"): "Fields that are merged into every request.",
    ("Parameters", "extra_headers"): "Headers of every request; those that may hold a secret are "
    "refused.",
    ("Judge", "models"): "The judges: names, or `{model: …, weight: …}`; several are a panel.",
    ("Judge", "repeats"): "The number of queries per judge and answer; the median counts.",
    ("Judge", "temperature"): "0 to 2; Benchmark Mode never locks it.",
    ("Judge", "top_p"): "Above 0, up to 1.",
    ("Judge", "max_tokens"): "The maximum number of tokens of a reply.",
    ("Policies", "empty"): "An answer with neither text nor tool calls.",
    ("Policies", "filtered"): "Stopped by a filter.",
    ("Policies", "refused"): "Refused by model or provider.",
    ("Policies", "context_overflow"): "The question is longer than the model's context.",
    (
        "Policies",
        "truncated",
    ): "Stopped at the token limit or by `max_steps`, or an answer that calls tools and has no "
    "text; `score` scores text and complete tool calls as received. Without both, `empty` applies.",
}
"""What each key says; ``*`` stands for the keys of a part that have no text of their own."""


def page() -> str:
    """The page's Markdown."""
    return "\n".join([HEAD, *(line for title in PARTS for line in _part(title))])


def told(part: str, key: str) -> str:
    """The text of a key; KeyError where nobody wrote one."""
    own = KEYS.get((part, key))
    return own if own is not None else KEYS[part, "*"].format(key)


def _part(title: str) -> Iterator[str]:
    model, words = PARTS[title]
    yield f"## {title}\n\n{words}\n"
    yield "| key | default | meaning |\n|---|---|---|"
    written = {
        field.alias or key: field for key, field in model.model_fields.items() if not field.exclude
    }
    for key, field in written.items():
        yield f"| `{key}` | {_default(field)} | {told(title, key)}{_choices(title, field)} |"
    yield ""


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", (), {}) or isinstance(value, BaseModel):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _choices(title: str, field: FieldInfo) -> str:
    values = [it for it in get_args(field.annotation) if isinstance(it, str)]
    return f" One of {', '.join(f'`{it}`' for it in values)}." if title == "Policies" else ""
