"""The page of checks, from the registry of scorers."""

from benchmaker import plugins
from benchmaker.scoring.build import parameters_of
from scripts.reference.scorers import ours

HEAD = """\
# Checks

A check is a scorer applied to an answer, with a weight, a threshold and a metric. `checks` of a
suite apply to every case, and `checks` of a case to that case as well:

```yaml
checks:
  - {type: regex, pattern: '/lima/i', weight: 2}
  - {type: exact, value: Cusco, not: true}
threshold: 0.6
```

The [keys of a check](suite-file.md#check) are those below, and the parameters of its scorer beside
them. [Several checks on an answer](../how-to/several-checks.md) shows a run.

## Verdict of a check

A check has a score from 0 to 1. It passes with a score of 1, or from its `threshold` on. Types with
partial credit by nature have a default threshold, listed below.

- **`not`** inverts the check: the score becomes 1 minus the score, and the verdict is inverted.
  With a `threshold`, the check then passes below it. `explain` shows the inverted score and the
  limit above which it must be.
- **`value`** is a text or a list of texts that replaces the case's `expected` for this check. Types
  that have a parameter `value` of their own read that.
- Thresholds and limits such as that of `cost` leave room for the rounding of double precision,
  1e-12: a sum of 0.1 and 0.2 is at most 0.3.
- **Undecided**: a check whose scorer fails or gives no score has no verdict.

## Verdict of a case

- Without a `threshold` of the case or the suite, all checks of weight above 0 must pass. The score
  is 1 or 0.
- With a `threshold`, the score is the sum of weight times score over the sum of weights. The case
  passes from the threshold on.
- A check of weight 0 only reports.
- While a check of weight above 0 is undecided, the case has no score. The reason names the check.
- The suite's checks come first, then those of the case. `checks_only: true` on a case leaves out
  the suite's checks and scorer. A `scorer` beside `checks` is the first check.

- A `judge` given for the run scores the cases that have neither a scorer nor checks, and the
  checks that need a judge. It adds no check to other cases.

## Limits

Beyond these limits a check is undecided, and the reason names the limit:

| Check | Limit |
|---|---|
| `bleu`, `chrf`, `f1`, `rouge_1`, `rouge_2`, `rouge_l` | answers of 1,000,000 characters |
| `levenshtein`, `similarity` | answers of 1,000,000 characters |
| `json_schema`, `json_path`, and `json` with `inside` | answers of 1,000,000 characters |
| `json_schema`, `json_path` | 5 s of processor time for an answer; nesting of some hundred levels |
| `regex` | answers of 1 MB; 1 s of processor time for a search, tried twice |
| `code` | [limits of programs](../how-to/test-code.md#limits) |

`language` reads the first 10,000 characters of an answer, and `refusal` the first 2,000.

## `set`

A check of type `set` holds checks. Without a threshold it passes if all of them pass; with one,
from their weighted share on. Sets can be nested and inverted.

```yaml
checks:
  - type: set
    threshold: 0.5
    checks:
      - {type: regex, pattern: Peru}
      - {type: regex, pattern: South America}
```

## `filters`

`filters` change the text of the answer before the check reads it, in their order. The filters of a
`set` apply to all of its checks. `explain` shows the text that a check read.

```yaml
checks:
  - type: equals
    value: "2746"
    filters: [{find: 'answer is ([0-9,]+)', otherwise: none}, {replace: ','}]
```

- `trim`, `lower` and `upper` remove white space at the ends, or change the case.
- `json` writes an answer in JSON without spaces. `{path: [KEY, INDEX]}` keeps the value at this
  place of an answer in JSON.
- `{find: PATTERN}` keeps the first match: its first group that is not empty, or all of it without
  groups. `match` is the number of another match, from 0, and from the end with -1. `otherwise`
  is the text without a match.
- `{replace: PATTERN, with: TEXT}` replaces each match, or the first `count`.
- `{map: {TEXT: TEXT}, otherwise: TEXT}` replaces the whole answer.
- `{option: PATTERN, choices: [TEXT], otherwise: TEXT}` keeps a match of the pattern. Without one,
  it is the letter of the first choice in the answer, as `(B)`, else a letter after a colon.
  `ignore_case`, `ignore_punctuation` and `ignore`, a list of patterns, concern the choices.

Patterns are Python's. Filters are no templates. All filters of a check share 1 s of processor time;
beyond it, and on an answer that `json` or `path` can't read, the check is undecided.

## `metric`

Checks with the same `metric` form a metric. Its value for an answer is the weighted mean of their
scores; checks of weight 0 count equally if no other check names the metric. Cases without a check
of the metric do not count.

An answer that the suite's policy scores 0, such as an empty one, counts as 0 in each metric of its
checks, also with `not`. If the policy is `leave_out`, the metrics leave it out, too.

Cases with a [`refusal`](scorers.md#refusal) check, at any depth and with or without `not`, have no
policy for refused, filtered and empty answers: all of their checks score such an answer. They read
the refusal that the endpoint reports, or an empty text. The answer is still counted as refused,
filtered or empty.

Each metric has a mean
and an interval in tables and in JSON. `compare`, `rank`, `power` and `trend` take it as
`--metric NAME`; with `--gate-metric NAME`, it decides on the `--threshold` of a run. The names
`mean`, `strict` and `pass_rate` are taken.

`pass_rate` is the share of answers that reached their `threshold`, among the cases that have one
by the suite or by the case. Without a threshold the accuracy is that share.

## In files

| Place | Keys |
|---|---|
| rows of JSON Lines exports | `passed`, and `checks` with type, verdict, score and reason |
| CSV and Parquet exports | the same columns, `checks` as JSON text |
| `score.detail` in JSON exports | the same, with the `detail` of each scorer |
| models in `results --json` | `metrics` with `mean`, `ci95` and `n` by name |
| JUnit XML | a failure lists the checks that did not pass |

## Types

| Type | Passes | Own `value` | Does |
|---|---|---|---|
"""


def page() -> str:
    """The page's Markdown."""
    return HEAD + "".join(_row(it) for it in ours() if it.id != "checks")


def _row(plugin: plugins.Plugin) -> str:
    cls = plugins.load("scorer", plugin.id)
    threshold = getattr(cls, "default_threshold", None)
    passes = "with full marks" if threshold is None else f"from {threshold:g} on"
    own = "yes" if "value" in parameters_of(cls) else "no"
    link = f"[`{plugin.id}`](scorers.md#{plugin.id})"
    return f"| {link} | {passes} | {own} | {plugin.summary} |\n"
