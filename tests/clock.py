"""A clock that tests wind by hand."""


class Clock:
    """Answers `now_s`, in seconds, until a test changes it."""

    def __init__(self, now_s: float = 1000.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s
