"""What Sphinx is configured with; ``docs/build.py`` names the folder of the pages."""

import re
from pathlib import Path
from typing import Any

from reporting import __version__

HERE = Path(__file__).parent

project = "trial-reporting"
author = "The trial-reporting developers"
version = release = __version__
language = "en"
extensions = ["myst_parser"]
myst_enable_extensions = ["fieldlist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = project
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_copy_source = True
html_use_index = False
html_sourcelink_suffix = ""
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_last_updated_fmt = None
html_permalinks_icon = "#"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def _accessible(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let the keyboard reach what scrolls, and give the captions of the contents their level."""
    if "body" in context:
        context["body"] = re.sub(r'<(pre|div(?= class="table-wrapper))', r'<\1 tabindex="0"', context["body"])
    if "furo_navigation_tree" in context:
        context["furo_navigation_tree"] = context["furo_navigation_tree"].replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )


def setup(app: Any) -> None:
    """Change pages after the theme has made them."""
    app.connect("html-page-context", _accessible, priority=900)
