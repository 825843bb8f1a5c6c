"""Thresholds along the weight of an error, and scores on a scale with a meaning.

- ``epc``: the thresholds, and what they do on test.
- ``scores``: scores as numbers with their trials.
"""
