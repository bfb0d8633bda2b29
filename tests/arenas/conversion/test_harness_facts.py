"""Converted tasks send the prompts of lm-evaluation-harness and give its verdicts.

The facts are those of lm-evaluation-harness 0.4.13, for the tasks of ``harness_tasks`` and their
scripted answers.
"""

import pytest

from benchmarks.converted.scripted_server import cut
from tests.arenas.conversion.converted import digest, facts, scored, suite_of, verdict_of
from tests.arenas.conversion.harness_tasks import LETTERS, TASKS

KNOWN = {task.name: task for task in TASKS}


def differences(task, folder):
    """The documents whose prompt or verdict is another than the harness's."""
    suite, _ = suite_of(task.write(folder))
    answers = task.answers()
    stops = suite.parameters.stop or ()
    rows = [
        {"id": case.id, "model": "m", "output": cut(answers[f"{task.name}-{case.id}"], [*stops]),
         **_logprobs(task, answers[f"{task.name}-{case.id}"])}
        for case in suite
    ]  # fmt: skip
    scores = scored(suite, rows, folder / "home")
    prompts = {case.id: case.conversation()[-1].content for case in suite}
    for place, prompt, verdicts in facts("lm_eval.json")[task.name]:
        if digest(prompts[place]) != prompt:
            yield task.name, place, "prompt"
        (score,) = scores[place]
        for number, (name, value) in enumerate(verdicts.items()):
            own = verdict_of(score) if number == 0 else score.metrics[f"exact_match,{name}"] == 1.0
            is_open = own is None and task.replies.startswith("said") and not is_choice(task, place)
            if own != bool(value) and not is_open:
                yield task.name, place, name


def is_choice(task, place):
    """True if the answer is a choice and nothing else, so that its likelihood is the highest."""
    document = task.splits["test"][int(place)]
    choices = LETTERS if task.replies == "said_letter" else document["choices"]
    return task.answers()[f"{task.name}-{place}"].strip() in choices


def _logprobs(task, text):
    if task.replies != "letter":
        return {}
    top = [{"token": it, "logprob": -0.1 if it == text else -4.0} for it in "ABCD"]
    return {"logprobs": {"content": [{"token": text, "logprob": -0.1, "top_logprobs": top}]}}


@pytest.mark.parametrize("name", ["two_filters", "options", "said_texts"])
def test_prompts_and_verdicts_of_a_task_are_those_of_the_harness(name, tmp_path):
    assert list(differences(KNOWN[name], tmp_path)) == []


@pytest.mark.long
def test_prompts_and_verdicts_of_all_tasks_are_those_of_the_harness(tmp_path):
    found = []
    for task in TASKS:
        folder = tmp_path / task.name
        folder.mkdir()
        found += differences(task, folder)
    assert found == []
    assert len(TASKS) >= 40
