"""Runs tasks with lighteval and a scripted model; started in its own environment.

    python drive_lighteval.py FOLDER

Writes details and results as lighteval saves them, and prints its figures as JSON. The documents
lie in the folder, nothing is downloaded.
"""

import json
import os
import sys
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")

from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry

TASKS = """
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

OPTIONS = ["Paris", "Rome", "Oslo", "Lima"]


def sums(line, task_name=None):
    return Doc(task_name=task_name, query=line["question"], choices=[line["answer"]], gold_index=0)


def cities(line, task_name=None):
    return Doc(task_name=task_name, query=line["riddle"], choices=OPTIONS, gold_index=line["gold"])


def task(name, function, metrics):
    return LightevalTaskConfig(
        name=name, prompt_function=function, hf_repo="FOLDER/data", hf_subset="default",
        metrics=metrics, hf_avail_splits=["train"], evaluation_splits=["train"],
        generation_size=20, stop_sequence=["\\n"],
    )


TASKS_TABLE = [
    task("sums", sums, [Metrics.exact_match]),
    task("cities", cities, [Metrics.loglikelihood_acc]),
]
"""
MODEL = '''
from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.utils.cache_management import SampleCache


class Scripted(LightevalModel):
    """Adds, wrongly for every third sum, and prefers a city."""

    def __init__(self, config):
        self.config = config
        self._cache = SampleCache(config)

    tokenizer = None
    add_special_tokens = False
    max_length = 2048

    def greedy_until(self, docs):
        return [ModelResponse(text=[self._sum(doc.query)]) for doc in docs]

    def loglikelihood(self, docs):
        found = []
        for doc in docs:
            at = int(doc.query.split()[1])
            likely = at * 7 % len(doc.choices)
            values = [-0.5 if place == likely else -2.0 for place in range(len(doc.choices))]
            found.append(ModelResponse(
                logprobs=values, argmax_logits_eq_gold=[it == -0.5 for it in values]
            ))
        return found

    def loglikelihood_rolling(self, docs):
        raise NotImplementedError

    @staticmethod
    def _sum(query):
        left, right = map(int, query.removesuffix("=").split("+"))
        return str(left + right + (left % 3 == 0))
'''


def main() -> None:
    """Run the tasks; those of the package are not loaded, since some of them download data."""
    Registry._load_from_files = Registry._load_from_subdirs = staticmethod(lambda *_: {})  # noqa: SLF001
    folder = Path(sys.argv[1]).resolve()
    (folder / "data").mkdir()
    rows = [
        {"question": f"{at}+2=", "answer": str(at + 2), "riddle": f"City {at} is", "gold": at % 4}
        for at in range(20)
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "data" / "train.jsonl").write_text(lines)
    (folder / "own_tasks.py").write_text(TASKS.replace("FOLDER", str(folder)))
    (folder / "own_model.py").write_text(MODEL)
    tracker = EvaluationTracker(output_dir=str(folder / "output"), save_details=True)
    pipeline = Pipeline(
        tasks="sums|0,cities|0",
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.CUSTOM, custom_tasks_directory=folder / "own_tasks.py"
        ),
        evaluation_tracker=tracker,
        model_config=CustomModelConfig(
            model_name="scripted", model_definition_file_path=str(folder / "own_model.py")
        ),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()
    (results,) = (folder / "output" / "results").rglob("results_*.json")
    figures = {
        f"{task} {metric}": value
        for task, metrics in json.loads(results.read_text())["results"].items()
        if task != "all"
        for metric, value in metrics.items()
    }
    print("FOUND " + json.dumps(figures))


if __name__ == "__main__":
    main()
