"""The parts of reading Qwen Code's sessions."""
