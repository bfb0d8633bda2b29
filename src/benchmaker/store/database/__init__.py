"""The database: connection, tables, column types, leases, paging."""
