"""Figures and tables for papers, made of cards."""
