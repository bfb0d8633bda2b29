"""Steps from each revision of the tables to the next; Alembic reads them from here."""
