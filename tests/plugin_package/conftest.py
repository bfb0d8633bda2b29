"""The packages' own tests run where the packages are installed; see test_installed.py."""

collect_ignore = ["broken", "mentions"]
