"""Rank correlation between systems, measures and judgments, for PyTerrier.

What is offered, and where it lives, stands in `__init__.pyi` beside this file. Each name is imported when it is first
asked for, so that importing the package costs next to nothing, and the statistics need neither pandas nor PyTerrier.
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
