"""Trial tables: from their keys in a config to rows in one canonical order.

- ``TrialSpec`` (``spec``): the keys of a config: sources, columns, values, policy; ``File``, ``InMemory`` and
  ``Remote`` are its sources.
- ``Scan`` (``scan``): the rows of a table in our words, lazily; every source is opened once.
- ``read_trials`` -> ``TrialTable`` (``table``): the rows after every rule was checked.
- ``survey``, ``check_rows`` (``rules``): the row rules, in one streaming pass.
- ``check_keys``, ``check_design``, ``dev_source`` (``design``): what the table as a whole must offer.
- ``read_model``, ``reference_of``, ``align`` (``order``): a model's trials in the canonical order.
- ``blocks_of`` (``blocks``): the block of every unit, by its key.
- ``refuse_alike``, ``in_other_case`` (``alike``): names that a reader cannot distinguish.
- ``fold_codes``, ``halves`` (``folds``): halves and folds of trials.
- ``LAYOUTS`` (``layouts.catalogue``): how the sources of each layout become rows; a new one is a line there.
- ``fetched`` (``remote.fetch``): remote sources as local files; a new kind of source is a line there.
- ``counted_there`` (``pushdown.count``): trials that an engine counts where they are; ``sql_to_paste`` and
  ``bundled_results`` (``pushdown.by_hand``): statements for a person to paste, and what they gave.
- ``pattern_fault`` (``clusters``): clusters that a second file or a pattern names.
- ``Bundle`` (``bundle``): counts instead of trials.
- ``open_file`` (``files``), ``FORMATS`` (``formats.catalogue``): files; a new kind of them is a value.
- ``walk`` (``paths``): what patterns and folders find, here or in a store, and what paths say.

Other rooms that look at files use ``values``, ``layouts.raw``, ``layouts.text_formats``, ``layouts.evals``,
``layouts.json_files``, ``remote.address``, ``remote.objects`` and ``remote.sqlite`` too.
Nothing is imported here: a config is read without Polars.
"""
