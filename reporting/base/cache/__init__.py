"""Results remembered from run to run.

- ``cache``: the cache of a run: what was computed of equal inputs by equal code is read again.
- ``fingerprint``: digests of values by what they hold.
- ``place``: the folder of a cache, shown and emptied.
"""
