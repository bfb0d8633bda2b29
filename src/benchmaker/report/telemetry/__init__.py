"""OpenTelemetry spans of runs."""
