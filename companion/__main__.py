"""``python -m companion`` is the ``companion`` command."""

from companion.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
