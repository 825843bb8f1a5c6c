"""One folder for each question that a report answers."""
