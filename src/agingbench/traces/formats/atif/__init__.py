"""ATIF documents and Harbor's trial folders."""
