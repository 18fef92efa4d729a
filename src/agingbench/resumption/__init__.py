"""The Resumption Benchmark: does the next agent carry on correctly from its hand-over?"""
