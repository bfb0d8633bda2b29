"""Writes the generated pages of docs/reference and the picture of the architecture.

Run ``python -m scripts.make_docs``.

The pages come from the code: commands and options, scorers, criteria, tasks, the suite's schema,
parameters,
the tree of errors, importers, public names, pages, packages. A test compares them with what this
would write.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from scripts.reference import (
    agents,
    api,
    checks,
    commands,
    criteria,
    failures,
    importers,
    outcomes,
    packages,
    pages,
    parameters,
    pytest_plugin,
    python,
    scorers,
    suite_file,
    tasks,
)

DOCS = Path(__file__).resolve().parents[1] / "docs"
FOLDER = DOCS / "reference"
ARCHITECTURE = DOCS / "explanation" / "architecture.md"
BEGIN, END = "<!-- begin generated: layers -->", "<!-- end generated -->"

PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands.page,
    "scorers.md": scorers.page,
    "checks.md": checks.page,
    "suite-file.md": suite_file.page,
    "parameters.md": parameters.page,
    "criteria.md": criteria.page,
    "tasks.md": tasks.page,
    "agents.md": agents.page,
    "errors.md": failures.page,
    "outcomes.md": outcomes.page,
    "python.md": python.page,
    "pytest.md": pytest_plugin.page,
    "api.md": api.page,
    "pages.md": pages.page,
    "packages.md": packages.page,
    "agent-logs/index.md": importers.page,
}


def made() -> Iterator[tuple[Path, str]]:
    """Each generated page with the text it should have."""
    for name, page in PAGES.items():
        yield FOLDER / name, page().rstrip() + "\n"
    yield ARCHITECTURE, with_block(ARCHITECTURE.read_text(encoding="utf-8"), packages.layers())


def with_block(text: str, block: str) -> str:
    """The page with the block between its two marks, in place of what stands there."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{block}\n{END}{after}"


def main() -> None:
    """Write every page that differs."""
    for path, text in made():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(FOLDER.parents[1])}")


if __name__ == "__main__":
    main()
