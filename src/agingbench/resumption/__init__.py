"""The Resumption Benchmark: does the next agent carry on correctly from the hand-over it is given?"""
