"""What the readers of foreign formats share: records of a stream, messages, model calls, times."""
