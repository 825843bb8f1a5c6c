"""Runs in a bucket of an S3-compatible store: the manifest is put last, and only where none is yet.

Files carry the digest of their content in their names, so that two writers of one run never change what
the other has put, and a run without a manifest is no run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import obstore
from obstore.exceptions import AlreadyExistsError

from reporting.errors import HistoryError, OutputError, quoted
from reporting.features.history.folder import MANIFEST, RUN_NAME
from reporting.inputs.remote.address import check_address
from reporting.inputs.remote.objects import FAILURES, fault_of, opened

STALE = timedelta(days=1)
"""A run whose manifest has not come for so long has lost its writer."""
BUCKET = r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]"


class Objects:
    """The objects below ``s3://bucket/prefix``; credentials come from the environment."""

    def __init__(self, url: str) -> None:
        check_address(url)
        name, _, prefix = url.removeprefix("s3://").partition("/")
        if not re.fullmatch(BUCKET, name):
            raise HistoryError(f"{quoted(url)}: expected s3://bucket/prefix")
        self.where = url
        self._bucket = opened(name, {})
        self._runs = "/".join(filter(None, (prefix.strip("/"), "runs")))

    def names(self) -> list[str]:
        """Return the names of the runs whose manifests have been put."""
        return sorted(run for run, files in self._listed().items() if MANIFEST in files)

    def read(self, run: str, file: str) -> bytes | None:
        """Return a file of a run; None where it is missing."""
        key = f"{self._runs}/{run}/{file}"
        try:
            return bytes(obstore.get(self._bucket.store, key).bytes())
        except FileNotFoundError:
            return None
        except FAILURES as error:
            raise fault_of(self._bucket, key, error) from None

    def publish(self, run: str, files: Mapping[str, bytes]) -> bool:
        """Put the files, then the manifest; False where another writer's is there."""
        self._clean()
        if self.read(run, MANIFEST) is not None:
            return False
        for name in sorted(files, key=lambda name: (name == MANIFEST, name)):
            if not self._put(f"{self._runs}/{run}/{name}", files[name], only_new=name == MANIFEST):
                return False
        return True

    def _put(self, key: str, content: bytes, *, only_new: bool) -> bool:
        try:
            obstore.put(self._bucket.store, key, content, mode="create" if only_new else "overwrite")
        except AlreadyExistsError:
            return False
        except FAILURES as error:
            raise OutputError(*fault_of(self._bucket, key, error).faults) from None
        return True

    def _listed(self) -> dict[str, dict[str, datetime]]:
        """When each file of each run was put."""
        runs: dict[str, dict[str, datetime]] = {}
        try:
            for page in obstore.list(self._bucket.store, self._runs):
                for item in page:
                    run, _, file = item["path"].removeprefix(f"{self._runs}/").partition("/")
                    if RUN_NAME.fullmatch(run) and file:
                        runs.setdefault(run, {})[file] = item["last_modified"]
        except FAILURES as error:
            raise fault_of(self._bucket, self._runs, error) from None
        return runs

    def _clean(self) -> None:
        """Remove the files of runs whose writers died long ago."""
        oldest = datetime.now(UTC) - STALE
        for run, files in self._listed().items():
            if MANIFEST in files or max(files.values()) > oldest:
                continue
            try:
                obstore.delete(self._bucket.store, [f"{self._runs}/{run}/{file}" for file in sorted(files)])
            except FAILURES:
                return  # who may write need not be allowed to remove
