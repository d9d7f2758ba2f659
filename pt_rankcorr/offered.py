"""How a package offers its names: each is imported when it is first asked for, and takes a seed as `rng=` alone."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import lazy_loader


def names_of_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package needs as `__getattr__`, `__dir__` and `__all__` to offer what the stub beside it imports."""
    load, names, every = lazy_loader.attach_stub(package, file)

    def get(name: str) -> Any:
        found = naming_rng(load(name), package)
        setattr(sys.modules[package], name, found)
        return found

    return get, names, every


@cache
def naming_rng(offered: Any, package: str) -> Any:
    """A function or class whose refusal of `seed=` names `rng=`; anything else as it is."""
    if not callable(offered) or "rng" not in inspect.signature(offered).parameters:
        return offered
    function: Any = offered.__init__ if isinstance(offered, type) else offered  # type: ignore[misc]

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if "seed" in kwargs:
            raise TypeError(f"`{offered.__name__}` takes a seed or a generator as `rng=`, got `seed=`.")
        return function(*args, **kwargs)

    if isinstance(offered, type):
        offered.__init__ = called  # type: ignore[misc]
        return offered
    called.__module__ = package  # where pickle finds it
    return called
