"""The parts of reading Inspect's logs."""
