"""Results in notebooks: data frames, and HTML with the verdict and the tables."""
