"""Find the code in an answer: fences, files and their names, versions, the page to show."""

from benchmaker.arenas.code.extract.reading import (
    MOST_CHARACTERS,
    artifact_of_page,
    extract_artifact,
    extract_so_far,
)

__all__ = ["MOST_CHARACTERS", "artifact_of_page", "extract_artifact", "extract_so_far"]
