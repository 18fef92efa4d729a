"""Builds the documentation site and its pictures; no part of the package."""
