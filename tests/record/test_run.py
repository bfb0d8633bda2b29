"""What a run records of itself."""

import msgspec

from benchmaker.record import Run

STORED = (
    b'{"id":"r","suite_hash":"h","suite_name":"s","models":["m"],"profile":"robust",'
    b'"profile_version":"1","manner":{"cache":true}}'
)


def test_options_keep_the_key_that_stored_runs_have():
    run = msgspec.json.decode(STORED, type=Run)
    assert run.options == {"cache": True}
    assert msgspec.json.encode(run) == STORED
