"""The bench: controlled lives of an agent, from seed to card. Start at
`agingbench.bench.life.life`.
"""
