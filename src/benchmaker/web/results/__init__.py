"""What pages of results share: panels, tables, computed runs."""
