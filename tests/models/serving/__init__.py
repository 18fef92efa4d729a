"""The served model."""
