"""Finding blocks in a composed report."""

from reporting.document.blocks import Section, Table
from reporting.document.sections import flat


def blocks(section):
    for block in section.blocks:
        if isinstance(block, Section):
            yield from blocks(block)
        else:
            yield block


def every_block(report, kind):
    return [b for section in report.sections for b in blocks(section) if isinstance(b, kind)]


def section(report, anchor):
    return next(each for each in flat(report.sections) if each.anchor == anchor)


def anchors(report):
    return [each.anchor for each in flat(report.sections)]


def table(report, name):
    return next(t for t in every_block(report, Table) if t.name == name)


def column(found, title):
    place = [c.title for c in found.columns].index(title)
    return [row[place] for row in found.rows]
