"""The ``companion`` command, also as ``python -m companion``."""


def main() -> int:
    """Run the command line; end quietly on Ctrl-C, which may come while its modules are loaded from a slow disk."""
    try:
        from companion.cli.main import main as run_command

        return run_command()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
