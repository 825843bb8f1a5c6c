"""Catalogue, frames and codes in words, made of their values: ``catalogue``, ``frames``, ``codes``."""
