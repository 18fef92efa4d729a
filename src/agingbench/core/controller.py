"""`ThresholdController` under the name that the public documentation gives it."""

from agingbench.bench.life.controllers.threshold import ThresholdController as ThresholdController
