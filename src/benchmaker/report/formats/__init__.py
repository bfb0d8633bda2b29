"""Files that are exported: JSON, JUnit, archives, and reading an export back."""
