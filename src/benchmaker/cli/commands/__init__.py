"""One module a command; its click command is the module's ``command``."""
