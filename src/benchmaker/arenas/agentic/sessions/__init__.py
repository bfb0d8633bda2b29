"""Sessions of coding tools: found in logs, counted, priced and stored."""
