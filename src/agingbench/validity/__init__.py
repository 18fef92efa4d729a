"""The instruments checked on agents whose score is known beforehand."""
