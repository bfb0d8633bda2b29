"""The wire protocols of providers: requests, streams, usage, errors."""
