"""Response types of the API, the source of the document's schemas."""
