"""The command line: parse, call one function, print. One file per command."""
