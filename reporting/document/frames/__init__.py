"""What a frame is, and the results that hold all frames of a report."""
