"""Agents that own their loop: whole products, driven from outside and watched through a folder."""
