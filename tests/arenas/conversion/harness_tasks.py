"""Tasks of lm-evaluation-harness, made for comparison, and the answers of a scripted model.

Each document has a marker such as ``[plain-3]`` in its question. The scripted model answers by the
last marker of a prompt. Answers are right and wrong in ten ways.
"""

import csv
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Values = dict[str, Any]
CITIES = ("Paris", "Rome", "Oslo", "Lima", "Cairo", "Quito", "Vienna", "Madrid", "Tokyo", "Accra")
ORDERS = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
LETTERS = "ABCD"


@dataclass(frozen=True)
class HarnessTask:
    """A task: its configuration, its documents by split, and files that it includes."""

    name: str
    values: Values
    splits: dict[str, list[Values]]
    included: dict[str, Values] = field(default_factory=dict)
    replies: str = "number"
    data: str = "jsonl"

    def write(self, folder: Path) -> Path:
        """Write the task and its data; returns the task file."""
        files = {split: f"{self.name}-{split}.{self.data}" for split in self.splits}
        for split, documents in self.splits.items():
            (folder / files[split]).write_text(_rows(documents, self.data), encoding="utf-8")
        kind = "csv" if self.data == "csv" else "json"
        base: Values = {
            "task": self.name,
            "dataset_path": kind,
            "dataset_kwargs": {"data_files": files},
        }
        if "validation_split" not in self.values:
            base["test_split"] = "test"
        for name, values in self.included.items():
            (folder / name).write_text(json.dumps(values), encoding="utf-8")
        path = folder / f"{self.name}.yaml"
        path.write_text(json.dumps({**base, **self.values}), encoding="utf-8")
        return path

    def answers(self) -> dict[str, str]:
        """The answer of the scripted model by marker."""
        evaluated = self.splits.get("test") or self.splits["validation"]
        return {
            f"{self.name}-{place}": REPLIES[self.replies](place, document)
            for place, document in enumerate(evaluated)
        }


def _rows(documents: list[Values], kind: str) -> str:
    if kind == "jsonl":
        return "".join(f"{json.dumps(it)}\n" for it in documents)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(documents[0]))
    writer.writeheader()
    writer.writerows(documents)
    return stream.getvalue()


def _number_reply(place: int, document: Values) -> str:
    right, wrong = str(document["answer"]), str(document["wrong"])
    grouped = f"{int(right):,}"
    return (
        right,
        f"The answer is {grouped}.",
        wrong,
        f"  {right} \n",
        f"First {wrong}, then {right}",
        f"${grouped}",
        f"#### {right}",
        f"The answer is {wrong}. #### {right}",
        f"{right}.\n\nQuestion: and now?",
        "I do not know.",
    )[place % 10]


def _word_reply(place: int, document: Values) -> str:
    right, wrong = str(document["city"]), str(document["wrong_city"])
    return (
        right,
        right.lower(),
        f"{right}.",
        f"The answer is {right}",
        f" {right}\n",
        f"{right.upper()}!",
        wrong,
        f"{right} 2026",
        f"Answer: {right}\n\nQuestion: next",
        f"{wrong}, not {right}",
    )[place % 10]


def _option_reply(place: int, document: Values) -> str:
    right = f"({LETTERS[document['gold']]})"
    text, other = document["choices"][document["gold"]], document["choices"][document["gold"] - 1]
    return (
        f"The answer is {right}.",
        f"It is {text}",
        f"I choose: {right[1]}",
        f"It is {other}",
        text.upper(),
        right,
        "No idea",
        f"The answer is (D). No, it is {text}",
        f"My choice: {LETTERS[document['gold'] - 1]}",
        f"It's {text}!",
    )[place % 10]


def _choice_reply(place: int, document: Values) -> str:
    """The text of the choice that the scripted model prefers."""
    return str(document["choices"][(document["gold"] + (place % 3 == 2)) % 4])


def _letter_reply(place: int, document: Values) -> str:
    return LETTERS[(document["gold"] + (place % 3 == 2)) % 4]


def _said_choice_reply(place: int, document: Values) -> str:
    """A sentence with the preferred choice: no continuation of the prompt is like it."""
    text = _choice_reply(place, document)
    return (f"The answer is {text}.", text, text.lower(), f" {text}\n", f"{text}, I think")[
        place % 5
    ]


def _said_letter_reply(place: int, document: Values) -> str:
    letter = _letter_reply(place, document)
    return (f"({letter})", letter, f"The answer is {letter}", f"{letter}\n", f"{letter}.")[
        place % 5
    ]


REPLIES = {
    "number": _number_reply,
    "word": _word_reply,
    "option": _option_reply,
    "choice": _choice_reply,
    "letter": _letter_reply,
    "said_choice": _said_choice_reply,
    "said_letter": _said_letter_reply,
}


def documents_of(name: str, start: int = 0, number: int = 10) -> list[Values]:
    """Documents with a sum, a city and choices."""
    made = []
    for place in range(start, start + number):
        left, right = 700 + 37 * place, 400 + 91 * place
        cities = [CITIES[(place + it) % 10] for it in range(4)]
        order = ORDERS[place % 4]
        marker = f"[{name}-{place}]" if not start else f"[shot {place}]"
        made.append(
            {
                "id": place,
                "question": f"{marker} What is {left} + {right}?",
                "riddle": f"{marker} Which city is number {place}?",
                "answer": left + right,
                "text_answer": str(left + right),
                "solution": f"Add both.\n#### {left + right:,}",
                "wrong": left - right,
                "city": cities[0],
                "wrong_city": cities[1],
                "names": [cities[0], cities[0].lower()],
                "choices": [cities[it] for it in order],
                "gold": order.index(0),
                "letter": LETTERS[order.index(0)],
                "parts": [left, right],
            }
        )
    return made


def _task(name: str, values: Values, **more: Any) -> HarnessTask:
    splits = more.pop("splits", None) or {"test": documents_of(name)}
    return HarnessTask(name, values, splits, **more)


def _generated(**values: Any) -> Values:
    return {
        "output_type": "generate_until",
        "doc_to_text": "{{question}}\nAnswer:",
        "doc_to_target": "{{answer}}",
        **values,
    }


def _worded(**values: Any) -> Values:
    return _generated(doc_to_text="{{riddle}}\nAnswer:", doc_to_target="{{city}}", **values)


def _match(**options: Any) -> list[Values]:
    return [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True, **options}]


def _filters(*steps: Values, name: str = "kept") -> list[Values]:
    return [{"name": name, "filter": [*steps, {"function": "take_first"}]}]


def _regex(pattern: str, **options: Any) -> Values:
    return {"function": "regex", "regex_pattern": pattern, **options}


def _chosen(**values: Any) -> Values:
    return {
        "output_type": "multiple_choice",
        "doc_to_text": "{{riddle}}\nAnswer:",
        "doc_to_choice": "choices",
        "doc_to_target": "gold",
        **values,
    }


def _shots(name: str, split: str = "train") -> dict[str, list[Values]]:
    return {"test": documents_of(name), split: documents_of(name, 20, 8)}


TWO_FILTERS = [
    *_filters(_regex(r"answer is (\-?[0-9\.\,]+)"), name="strict"),
    *_filters(_regex(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select=-1), name="flexible"),
]
OPTION = {"function": "multi_choice_regex", "regex_pattern": r"(\([A-D]\))"}
MMLU = (
    "{{riddle}}\nA. {{choices[0]}}\nB. {{choices[1]}}\nC. {{choices[2]}}\nD. {{choices[3]}}\n"
    "Answer:"
)
LETTERED = _chosen(doc_to_text=MMLU, doc_to_choice=list(LETTERS))

TASKS = (
    _task("plain", _generated()),
    _task("plain_words", _worded(), replies="word"),
    _task("case", _worded(metric_list=_match(ignore_case=True)), replies="word"),
    _task("punctuation", _worded(metric_list=_match(ignore_punctuation=True)), replies="word"),
    _task("numbers", _worded(metric_list=_match(ignore_numbers=True)), replies="word"),
    _task(
        "all_ignored",
        _worded(
            metric_list=_match(
                ignore_case=True,
                ignore_punctuation=True,
                ignore_numbers=True,
                regexes_to_ignore=["the answer is ", r"\s"],
            )
        ),
        replies="word",
    ),
    _task("ignored", _generated(metric_list=_match(regexes_to_ignore=[",", r"\$", r"\.$"]))),
    _task("strict", _generated(filter_list=_filters(_regex(r"answer is (\-?[0-9\.\,]+)")))),
    _task(
        "two_filters",
        _generated(filter_list=TWO_FILTERS, metric_list=_match(regexes_to_ignore=[",", r"\$"])),
    ),
    _task(
        "trimmed", _worded(filter_list=_filters({"function": "remove_whitespace"})), replies="word"
    ),
    _task(
        "lowered",
        {
            **_worded(
                filter_list=_filters({"function": "remove_whitespace"}, {"function": "lowercase"}),
            ),
            "doc_to_target": "{{city | lower}}",
        },
        replies="word",
    ),
    _task(
        "raised",
        {
            **_worded(filter_list=_filters({"function": "uppercase"})),
            "doc_to_target": "{{city | upper}}",
        },
        replies="word",
    ),
    _task(
        "mapped",
        {
            **_worded(
                filter_list=_filters(
                    {"function": "remove_whitespace"},
                    {
                        "function": "map",
                        "mapping_dict": {it: it[0] for it in CITIES},
                        "default_value": "?",
                    },
                )
            ),
            "doc_to_target": "{{city[0]}}",
        },
        replies="word",
    ),
    _task(
        "options",
        {**_worded(filter_list=_filters(OPTION)), "doc_to_target": "({{letter}})"},
        replies="option",
    ),
    _task(
        "loose_options",
        {
            **_worded(
                filter_list=_filters(
                    {
                        **OPTION,
                        "ignore_case": True,
                        "ignore_punctuation": True,
                        "group_select": -1,
                        "regexes_to_ignore": ["x"],
                    }
                )
            ),
            "doc_to_target": "({{letter}})",
        },
        replies="option",
    ),
    _task("several_targets", {**_worded(), "doc_to_target": "names"}, replies="word"),
    _task(
        "listed_targets",
        {
            **_worded(metric_list=_match(ignore_punctuation=True)),
            "doc_to_target": "{{[city, city ~ ' 2026']}}",
        },
        replies="word",
    ),
    _task(
        "chosen_target",
        {**_worded(doc_to_choice="choices"), "doc_to_target": "gold"},
        replies="word",
    ),
    _task("whole_numbers", {**_generated(), "doc_to_target": "answer"}),
    _task("columns", {**_generated(), "doc_to_text": "question", "doc_to_target": "text_answer"}),
    _task(
        "drawn_shots",
        _generated(num_fewshot=3, training_split="train", fewshot_split="train"),
        splits=_shots("drawn_shots"),
    ),
    _task(
        "first_shots",
        _generated(num_fewshot=2, fewshot_split="dev", fewshot_config={"sampler": "first_n"}),
        splits=_shots("first_shots", "dev"),
    ),
    _task("own_shots", _generated(num_fewshot=2, fewshot_split="test")),
    _task(
        "usual_shots",
        _generated(num_fewshot=2, training_split="train"),
        splits=_shots("usual_shots"),
    ),
    _task(
        "written_shots",
        _generated(
            num_fewshot=2,
            fewshot_config={
                "sampler": "first_n",
                "samples": [
                    {"question": "What is 1 + 1?", "answer": 2},
                    {"question": "What is 1 + 2?", "answer": 3},
                ],
            },
        ),
    ),
    _task(
        "shaped_shots",
        _generated(
            num_fewshot=1,
            fewshot_split="train",
            target_delimiter=" -> ",
            fewshot_delimiter="\n",
            fewshot_config={"doc_to_target": "{{solution}}", "doc_to_text": "{{question}} Think."},
        ),
        splits=_shots("shaped_shots"),
    ),
    _task("described", _generated(description="Add the two numbers.\n\n", gen_prefix="It is")),
    _task(
        "prefixed_shots",
        _generated(
            num_fewshot=2, fewshot_split="train", gen_prefix="Result:", description="{{id}}: sums\n"
        ),
        splits=_shots("prefixed_shots"),
    ),
    _task(
        "included",
        {"include": "included-base", "doc_to_target": "{{answer}}"},
        included={
            "included-base": {
                "include": "included-root",
                "output_type": "generate_until",
                "doc_to_text": "{{question}} =",
            },
            "included-root": {
                "metric_list": _match(regexes_to_ignore=[","]),
                "filter_list": TWO_FILTERS,
                "doc_to_text": "never used",
            },
        },
    ),
    _task(
        "school",
        {
            **_generated(
                metric_list=_match(
                    ignore_case=True, regexes_to_ignore=[",", r"\$", "(?s).*#### ", r"\.$"]
                ),
                filter_list=[
                    *_filters(_regex(r"#### (\-?[0-9\.\,]+)"), name="strict-match"),
                    *_filters(
                        _regex(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select=-1),
                        name="flexible-extract",
                    ),
                ],
                generation_kwargs={
                    "until": ["Question:", "</s>"],
                    "do_sample": False,
                    "temperature": 0.0,
                },
            ),
            "doc_to_target": "{{solution}}",
        },
    ),
    _task(
        "tables",
        _generated(metric_list=_match(regexes_to_ignore=[","])),
        splits={
            "test": [
                {key: it for key, it in one.items() if not isinstance(it, list)}
                for one in documents_of("tables")
            ]
        },
        data="csv",
    ),
    _task(
        "loops",
        {
            **_generated(),
            "doc_to_text": "{% for it in parts %}{{loop.index}}) {{it}}\n{% endfor %}"
            "{{question | regex_replace('What', 'Say what')}} "
            "{% if answer > 1500 %}Take care.{% else %}Easy.{% endif %}\n",
        },
    ),
    _task(
        "validated",
        _generated(validation_split="validation"),
        splits={"validation": documents_of("validated")},
    ),
    _task(
        "one_stop", _worded(generation_kwargs={"until": "2026", "max_gen_toks": 30}), replies="word"
    ),
    _task(
        "fallback",
        _generated(
            filter_list=_filters(
                _regex(r"(\$[0-9,]+)|#### ([0-9]+)", group_select=-1, fallback="nothing")
            )
        ),
    ),
    _task("default_pattern", _generated(filter_list=_filters({"function": "regex"}))),
    _task(
        "voted",
        _worded(
            filter_list=[
                {
                    "name": "vote",
                    "filter": [
                        {"function": "remove_whitespace"},
                        {"function": "majority_vote"},
                        {"function": "take_first"},
                    ],
                }
            ]
        ),
        replies="word",
    ),
    _task("letters", LETTERED, replies="letter"),
    _task(
        "lettered_shots",
        {
            **LETTERED,
            "num_fewshot": 2,
            "fewshot_split": "dev",
            "fewshot_config": {"sampler": "first_n"},
            "description": "Choose.\n\n",
        },
        splits=_shots("lettered_shots", "dev"),
        replies="letter",
    ),
    _task("letter_targets", {**LETTERED, "doc_to_target": "letter"}, replies="letter"),
    _task("texts", _chosen(), replies="choice"),
    _task("said_texts", _chosen(), replies="said_choice"),
    _task("said_letters", LETTERED, replies="said_letter"),
    _task(
        "rendered_texts",
        _chosen(metric_list=[{"metric": "acc", "aggregation": "mean", "higher_is_better": True}])
        | {"doc_to_choice": "{{choices}}", "doc_to_target": "{{choices.index(city)}}"},
        replies="choice",
    ),
)
