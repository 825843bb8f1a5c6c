"""The store of runs, and what it tells.

- ``store``: runs in a folder or an object store, written whole.
- ``past``: the runs before this one, as far as they can be compared.
- ``trends``: values run by run, and marks where something changed.
- ``differences``, ``outcomes``: this run less an earlier one, on the trials that both have.
- ``page``, ``terminal``: the history as a page, and on the terminal.
"""
