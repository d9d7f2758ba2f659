"""How Sphinx builds the pages, which are in pt_rankcorr/pt_docs, where PyTerrier's site collects them.

`python -m sphinx -W -c docs pt_rankcorr/pt_docs docs/_build` builds them into docs/_build. Their pictures are made by
`python docs/pictures.py`, and are part of the package.
"""

import os

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from pt_rankcorr import __version__

project, author, copyright = "pt_rankcorr", "The pt_rankcorr authors", "The pt_rankcorr authors"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.intersphinx", "sphinx.ext.napoleon"]

default_role = "code"  # so that docstrings may be plain text: `name`
autodoc_typehints = "description"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "RandomState": "RandomState"}  # as they are written
autodoc_typehints_description_target = "documented_params"

# Types of others link to their pages. That takes lists of names from the network, which tests and builds at home lack.
INVENTORIES = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
    "scipy": "https://docs.scipy.org/doc/scipy",
    "pandas": "https://pandas.pydata.org/docs",
    "matplotlib": "https://matplotlib.org/stable",
    "pyterrier": "https://pyterrier.readthedocs.io/en/latest",
}
is_online = os.environ.get("READTHEDOCS") == "True" or os.environ.get("INTERSPHINX") == "1"
intersphinx_mapping = {name: (address, None) for name, address in INVENTORIES.items()} if is_online else {}

html_theme_options = {"page_width": "1240px", "body_max_width": "960px", "code_font_size": "0.8em"}
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_math_renderer = "mathml"
html_sidebars = {"calibration": ["about.html", "searchfield.html", "navigation.html", "localtoc.html"]}


# Plain forms of the directives of PyTerrier's site. There, `cite.dblp` also shows BibTeX, `related` makes the entry of
# a name link to the page, and every `how-to` is listed on one page.


class Cite(SphinxDirective):
    required_arguments = 1
    option_spec = {"citation": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        record = nodes.reference("", "dblp", refuri=f"https://dblp.org/rec/{self.arguments[0]}")
        return [nodes.paragraph("", "", nodes.Text(f"{self.options['citation']} ["), record, nodes.Text("]"))]


class Related(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return []


class HowTo(SphinxDirective):
    required_arguments, final_argument_whitespace, has_content = 1, True, True

    def run(self) -> list[nodes.Node]:
        content = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, content)
        return [nodes.rubric("", self.arguments[0]), *content.children]


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    for name, directive in {"cite.dblp": Cite, "related": Related, "how-to": HowTo}.items():
        app.add_directive(name, directive)


def formula(writer: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """As MathML, which docutils writes and browsers show without scripts and without a network."""
    writer.math_output, writer.math_options = "mathml", ""
    super(HTML5Translator, writer).visit_math(node)
