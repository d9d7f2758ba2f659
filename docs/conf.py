"""How Sphinx builds the pages, which are in pt_rankcorr/pt_docs, where PyTerrier's site collects them.

`python -m sphinx -W -c docs pt_rankcorr/pt_docs docs/_build` builds them into docs/_build. Their pictures are made by
`python docs/pictures.py`, and are part of the package.
"""

from pt_rankcorr import __version__

project, author, copyright = "pt_rankcorr", "The pt_rankcorr authors", "The pt_rankcorr authors"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]

default_role = "code"  # so that docstrings may be plain text: `name`
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"

html_theme_options = {"page_width": "1220px"}
