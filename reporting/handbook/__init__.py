"""The catalogue and the frames in words, made of the values themselves: ``catalogue``, ``frames``."""
