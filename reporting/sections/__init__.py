"""Frames to blocks.

- ``catalogue``: the sections by name, in the order in which they are read; a new one is a line there.
- ``compose``: results -> report.
- ``own_sections``: the sections that a user writes in YAML.
- ``gates``, ``provenance``: the sentences of gates and of where a number comes from, for the terminal too.
"""
