"""What commands print: tables, headers, logs and errors."""
