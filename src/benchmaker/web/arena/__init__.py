"""What the pages of the Arena are made of: a form that was filled in, and a grid that fills."""
