"""Kinds of files: one value each in ``catalogue``, and what reads it in a module of its own."""
