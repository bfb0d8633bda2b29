"""Options shared by several commands, and their interpretation."""
