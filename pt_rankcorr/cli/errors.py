"""What ends a command, but for bad input."""


class UsageError(Exception):
    """Options that do not fit together."""


class CannotWriteError(Exception):
    """Standard output cannot be written, as on a full disk."""
