"""The grader of exported tasks: files that run without Benchmaker."""
