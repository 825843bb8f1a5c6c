"""From counts to statistics of a design: measures, criteria, curves, formulas, resampling, and one engine."""
