"""Ready-to-run examples: ``catalogue`` lists them and writes one into a folder."""
