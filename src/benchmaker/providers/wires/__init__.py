"""The protocols in which agents query models: paths, fields, usage and errors of each."""
