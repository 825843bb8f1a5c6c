"""The command ``init``: look at trials, infer their meaning, and write a starter config.

- ``write_starter`` (``starter``): the whole command; ``trial_keys``: what one table needs.
- ``shown_by``, ``sample_of``, ``pattern_of`` (``look``): the files shown, a sample of each, their places.
- ``roles_of`` (``columns``): which column of a sample has which role.
- ``table_of``, ``table_lines`` (``table``): what a table is, and the lines of the config it needs.
- ``tables_draft`` (``tables``), ``texts_draft``, ``counts_draft`` (``texts``): one draft a kind of file.
- ``Line``, ``written`` (``lines``): lines of a config, written so that they read back the same.

Nothing is imported here: ``reporting --help`` must not wait for it.
"""
