"""Other judgments from given ones, such as pools, samples and panels; and how far labels agree."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
