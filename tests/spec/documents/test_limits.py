import pytest

from benchmaker.spec.documents.limits import Limits, readable_size


@pytest.mark.parametrize(
    ("size", "words"), [(5, "5 bytes"), (2048, "2 kB"), (16 * 2**20, "16 MB"), (2**30, "1 GB")]
)
def test_sizes_are_readable(size, words):
    assert readable_size(size) == words


def test_the_defaults_are_those_that_the_documents_state():
    limits = Limits()
    assert limits.document_bytes == 10 * 2**20
    assert limits.data_bytes == 2**30
    assert limits.line_bytes == 16 * 2**20
    assert (limits.depth, limits.gzip_ratio, limits.findings) == (50, 200, 200)
