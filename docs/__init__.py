"""The documentation site: written pages, pages made of the values, and a gallery of reports."""
