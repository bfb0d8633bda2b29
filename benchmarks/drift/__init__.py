"""The drift check: real coding tools, a scripted model, and what our readers make of their logs."""
