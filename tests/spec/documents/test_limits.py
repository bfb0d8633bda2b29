import pytest

from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.sizes import readable_limit


@pytest.mark.parametrize(
    ("size", "words"), [(5, "5 bytes"), (2048, "2 KiB"), (16 * 2**20, "16 MiB"), (2**30, "1 GiB")]
)
def test_sizes_are_readable(size, words):
    assert readable_limit(size) == words


def test_the_defaults_are_those_that_the_documents_state():
    limits = Limits()
    assert limits.document_bytes == 10 * 2**20
    assert limits.data_bytes == 2**30
    assert limits.line_bytes == 16 * 2**20
    assert (limits.depth, limits.gzip_ratio, limits.findings) == (50, 200, 200)
