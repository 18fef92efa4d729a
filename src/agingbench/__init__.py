"""AgingBench: how long does an agent stay reliable, how does it decay, where does the repair go."""

__version__ = "0.1.0"
