"""Task folders of Harbor: ``task.toml``, ``instruction.md``, ``environment``, ``tests``."""
