"""``python -m benchmaker`` is ``benchmaker``."""

from benchmaker.cli import main

if __name__ == "__main__":
    main(prog_name="benchmaker")
