"""A bill of materials (CycloneDX 1.6, JSON) of what is in a folder of `make release`.

    python .ci/bill_of_materials.py dist

The wheel there with its sha256, and every library that it and its extras need, in the versions of this
environment, with which the tests pass. Same wheel, environment and SOURCE_DATE_EPOCH: same bytes.
"""

from __future__ import annotations

import hashlib
import os
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import Distribution, distribution
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import DisjunctiveLicense, License, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OURS = "trial-reporting"
FOR_DEVELOPERS = "dev"


def main() -> None:
    """Write ``trial-reporting-VERSION.cdx.json`` beside the wheel, and print its path."""
    [wheel] = Path(sys.argv[1]).glob("*.whl")
    text = bill(wheel)
    path = wheel.parent / f"{OURS}-{distribution(OURS).version}.cdx.json"
    path.write_text(text, encoding="utf-8")
    print(path)


def bill(wheel: Path) -> str:
    """Return the bill of a wheel and of what it needs, as JSON."""
    needs = _all_needs(OURS, _extras())
    components = {name: _component(distribution(name)) for name in sorted(needs)}
    ours = components[OURS]
    ours.hashes.add(
        HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(wheel.read_bytes()).hexdigest())
    )
    versions = " ".join(str(component.purl) for component in components.values())
    return JsonV1Dot6(
        Bom(
            serial_number=uuid.uuid5(uuid.NAMESPACE_OID, f"{versions} {ours.hashes[0].content}"),
            metadata=BomMetaData(component=ours, timestamp=_date()),
            components=[component for name, component in components.items() if name != OURS],
            dependencies=[
                Dependency(components[name].bom_ref, [Dependency(components[each].bom_ref) for each in its])
                for name, its in needs.items()
            ],
        )
    ).output_as_string(indent=2)


def _date() -> datetime:
    """Return the date of the release: the environment's, else now."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC).replace(microsecond=0)


def _extras() -> frozenset[str]:
    every = distribution(OURS).metadata.get_all("Provides-Extra") or []
    return frozenset(every) - {FOR_DEVELOPERS}


def _all_needs(name: str, extras: frozenset[str]) -> dict[str, set[str]]:
    """Return a library and all that it needs, directly or not: what each of them needs itself."""
    needs: dict[str, set[str]] = {}
    waiting, seen = [(name, extras)], set[tuple[str, frozenset[str]]]()
    while waiting:
        asked = waiting.pop()
        if asked in seen:
            continue
        seen.add(asked)
        wanted = list(_needs(*asked))
        needs.setdefault(asked[0], set()).update(other for other, _ in wanted)
        waiting += wanted
    return needs


def _needs(name: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what a library with some extras needs here, each with the extras asked of it."""
    for line in distribution(name).requires or []:
        needed = Requirement(line)
        marker = needed.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            yield canonicalize_name(needed.name), frozenset(needed.extras)


def _component(installed: Distribution) -> Component:
    name = canonicalize_name(installed.metadata["Name"])
    purl = PackageURL("pypi", name=name, version=installed.version)
    kind = ComponentType.APPLICATION if name == OURS else ComponentType.LIBRARY
    return Component(
        name=name,
        version=installed.version,
        type=kind,
        purl=purl,
        bom_ref=str(purl),
        licenses=_licenses(installed),
    )


def _licenses(installed: Distribution) -> list[License]:
    """Return the licence as an SPDX expression where one is declared, else the names of its classifiers."""
    expression = installed.metadata.get("License-Expression")
    if expression:
        return [LicenseExpression(expression)]
    classifiers = installed.metadata.get_all("Classifier") or []
    names = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: ")]
    return [DisjunctiveLicense(name=name) for name in names]


if __name__ == "__main__":
    main()
