"""s5: an assistant that has only the notes it keeps itself."""
