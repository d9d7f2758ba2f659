"""Rank correlation between systems, measures and judgments, for PyTerrier.

What is offered, and where it lives, stands in `__init__.pyi` beside this file. Each name is imported when it is first
asked for, so that importing the package costs next to nothing, and the statistics need neither pandas nor PyTerrier.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
