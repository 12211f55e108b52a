"""Configuration of the documentation site: `make docs` builds it into build/docs."""

import sys
from pathlib import Path

import bolicho

sys.path.insert(0, str(Path(__file__).parent / "site"))  # its two extensions

project = "Bolicho"
version = release = bolicho.__version__

extensions = ["myst_parser", "pages"]
exclude_patterns = ["site"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
highlight_language = "text"
python_maximum_signature_line_length = 90
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"Bolicho {release}"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
