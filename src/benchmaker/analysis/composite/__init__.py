"""The composite score of a submission, its baselines and their snapshots."""
