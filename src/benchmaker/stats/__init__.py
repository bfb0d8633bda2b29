"""Numbers in, frozen results out; no domain, no input or output."""
