"""How often intervals hold the truth and tests cry wolf, by simulation with a fixed seed.

``python benchmarks/coverage.py`` prints every study as Markdown; ``--study NAME`` one of them;
``--write`` puts what was done into docs/explanation/coverage.md, below the line that says so,
and leaves the other studies there as they are.
"""

import argparse
import importlib
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from studies.study import Study

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "explanation" / "coverage.md"
MARK = "<!-- below: python benchmarks/coverage.py --write -->"
SUBJECTS = (
    "means", "proportions", "bounded", "hierarchy", "corrected", "comparison", "gates", "battles",
    "repeats", "agent_series",
)  # fmt: skip


def main() -> None:
    given = arguments()
    every = all_studies()
    parts = dict(sections(chosen(every, given.study), given.draws, given.seed))
    if given.write:
        written([study.title for study in every], parts)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--study", action="append", default=[], help="a name; may be repeated")
    parser.add_argument("--draws", type=int, help="instead of each study's own number")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    given = parser.parse_args()
    if given.write and given.draws:
        parser.error("--write takes each study's own number of draws")
    return given


def all_studies() -> tuple[Study, ...]:
    there = [subject for subject in SUBJECTS if (HERE / "studies" / f"{subject}.py").exists()]
    return tuple(study for subject in there for study in studies_of(subject))


def chosen(every: Iterable[Study], names: Iterable[str]) -> tuple[Study, ...]:
    """All studies, or those named."""
    known = {study.name: study for study in every}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"Unknown study {unknown[0]!r}; there are: {', '.join(known)}")
    return tuple(known[name] for name in names) or tuple(every)


def studies_of(subject: str) -> tuple[Study, ...]:
    return importlib.import_module(f"studies.{subject}").STUDIES


def sections(studies: Iterable[Study], draws: int | None, seed: int) -> Iterator[tuple[str, str]]:
    """Title and Markdown of each study, printed as soon as it is done."""
    for study in studies:
        start = time.perf_counter()
        random = np.random.Generator(np.random.PCG64([seed, zlib.crc32(study.name.encode())]))
        number = draws or study.draws
        table = study.run(random, number)
        drawn = f" {number:,} draws per row." if study.draws else ""
        part = f"## {study.title}\n\n{study.words}{drawn}\n\n{table.markdown()}"
        print(f"{part}\n\n<!-- {time.perf_counter() - start:.0f} s -->\n", flush=True)
        yield study.title, part


def written(titles: Iterable[str], parts: dict[str, str]) -> None:
    """Put the parts into the page, each where its study stands in the list."""
    above, _, below = PAGE.read_text(encoding="utf-8").partition(MARK)
    before = below.strip().removeprefix("## ").split("\n\n## ")
    kept = {old.partition("\n")[0]: f"## {old.strip()}" for old in before if old}
    now = kept | parts
    page = [above + MARK, *(now[title] for title in titles if title in now)]
    PAGE.write_text("\n\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
