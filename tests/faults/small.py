"""A report that is quickly made, and the bytes of folders."""

from __future__ import annotations

from pathlib import Path

CONFIG = """\
title: {title}
trials: {{source: trials.csv}}
significance: {{replicates: 99, bands: none}}
curves: []
epc: none
report: {{formats: [json]}}
history: {{store: store, as_of: 2026-01-01}}
"""


def written(folder: Path, title: str = "Small") -> Path:
    """Write trials of two models and a config; return the config."""
    rows = [
        f"{model},{split},{trial},{trial % 2},{(trial * 7919 % 23) / 10 + trial % 2 + nudge / 10}"
        for nudge, model in enumerate("ab")
        for split in ("dev", "test")
        for trial in range(40)
    ]
    (folder / "trials.csv").write_text("\n".join(["model,split,trial,label,score", *rows, ""]))
    config = folder / f"{title}.yaml".lower()
    config.write_text(CONFIG.format(title=title))
    return config


def repeated(day: str) -> str:
    """Return what stderr says, as a pattern, of a run on the files of an earlier day's."""
    return (
        rf"caution: The input files are those of the run of {day} \([0-9a-f]{{8}}\): nothing new was tested, and"
        r" values, gates and trends repeat that run\. \[TR326\]\n"
    )


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file in a folder by its path, but for what a clock decides; a link is where it leads."""
    return {
        path.relative_to(folder).as_posix(): str(path.readlink()).encode()
        if path.is_symlink()
        else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if (path.is_file() or path.is_symlink()) and path.name != "timings.json"
    }
