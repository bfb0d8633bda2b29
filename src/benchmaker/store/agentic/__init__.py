"""Submissions, evaluations, boards and tasks of the Agentic Arena."""
