"""Output of commands: tables, headers, logs and errors."""
