"""Says what a messy file of river gauge readings holds: ``report.py FILE [--table]``."""

import sys

if __name__ == "__main__":
    sys.exit("nothing is written here yet")
