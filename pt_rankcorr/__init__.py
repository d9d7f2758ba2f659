"""Rank correlation between systems, measures and judgments, for PyTerrier.

The file `__init__.pyi` beside this one lists all public names and their modules. Each name is
imported on first use, so that importing the package costs next to nothing, and the statistics do
not import PyTerrier.
"""

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name != "__version__":
        return _load(name)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pt-rankcorr")
    except PackageNotFoundError:  # a checkout that is on the path, but not installed
        return "0+unknown"
