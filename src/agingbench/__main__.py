"""`python -m agingbench` is the `agingbench` command."""

from agingbench.cli.main import main

if __name__ == "__main__":
    main()
