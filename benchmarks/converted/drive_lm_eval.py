"""Runs tasks with lm-evaluation-harness against a server; started in its own environment.

    python drive_lm_eval.py URL FOLDER TASK...

Prints JSON: for each task and document the prompt, the answer and the verdict of each filter. The
harness sends its context as one message of the user. It reads likelihoods from an answer: the
choice that the answer names is the likeliest.
"""

import json
import os
import sys
import urllib.request

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager


class Scripted(LM):
    """A model behind the server."""

    def __init__(self, url):
        super().__init__()
        self.url = url

    def generate_until(self, requests, **_):
        return [self._ask(it.args[0], it.args[1].get("until")) for it in requests]

    def loglikelihood(self, requests, **_):
        return [self._likelihood(*it.args) for it in requests]

    def loglikelihood_rolling(self, requests, **_):
        raise NotImplementedError

    def _likelihood(self, context, continuation):
        is_named = self._ask(context, None).strip() == continuation.strip()
        return (-1.0 if is_named else -9.0, is_named)

    def _ask(self, prompt, until):
        body = {"model": "m", "messages": [{"role": "user", "content": prompt}], "stop": until}
        request = urllib.request.Request(  # noqa: S310  the server of the benchmark
            f"{self.url}/chat/completions",
            json.dumps(body).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request) as reply:  # noqa: S310  as above
            return json.load(reply)["choices"][0]["message"]["content"]


def main():
    url, folder, *names = sys.argv[1:]
    manager = TaskManager(include_path=folder, include_defaults=False)
    made = simple_evaluate(
        model=Scripted(url), tasks=names, task_manager=manager, log_samples=True, bootstrap_iters=0
    )
    found = {}
    for name in names:
        documents = found.setdefault(name, {})
        for sample in made["samples"][name]:
            one = documents.setdefault(str(sample["doc_id"]), {"verdicts": {}})
            one["prompt"] = sample["arguments"][0][0]
            value = sample.get("exact_match", sample.get("acc"))
            one["verdicts"][sample["filter"]] = float(value)
    print("FOUND " + json.dumps(found))


if __name__ == "__main__":
    main()
