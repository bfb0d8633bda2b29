"""The parts of reading sessions of OpenCode, and of tools that grew out of it."""
