"""How results look: each file says the columns, sentences and notes of results of one package.

A file registers functions by the class of a result: with `table_of` for everything that is shown,
with `facts_of` for single values, with `sentence_of` for the sentence that a paper may print (see
`generic`). It is loaded when a result of its package is first shown.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
