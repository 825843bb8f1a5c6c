"""Counting where the trials are: statements that an engine runs, and the bundle of counts that they give."""
