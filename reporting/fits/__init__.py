"""Smooth curves: ``fit`` is what a fit is, ``catalogue`` lists the fits by name."""
