"""The parts of reading Pi's session files."""
