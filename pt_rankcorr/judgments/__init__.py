"""Other judgments from given ones: shallower, fewer, random, or of one run; and how far two sets of labels agree."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
