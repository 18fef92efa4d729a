"""Quantiles beside those of scipy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.special import stdtrit

from agingbench.metrics.quantiles import quick_t_quantile

LEVELS = (0.05, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
DEGREES = [*np.arange(1.0, 40.0, 0.37), 99.0, 333.3, 999.0, 1000.0, 1001.0, 2e4, 1e6]


@pytest.mark.parametrize("level", LEVELS)
def test_a_quantile_of_students_t_is_that_of_scipy(level: float) -> None:
    ours = [quick_t_quantile(df, level) for df in DEGREES]
    assert ours == pytest.approx(stdtrit(DEGREES, 0.5 + level / 2).tolist(), rel=1e-10)


def test_students_t_has_heavy_tails_at_one_degree_and_is_normal_at_very_many() -> None:
    assert quick_t_quantile(0.3, 0.95) == quick_t_quantile(1.0, 0.95)
    assert quick_t_quantile(1.0, 0.95) == pytest.approx(12.706204736)
    assert quick_t_quantile(float("inf"), 0.95) == pytest.approx(1.959963985)


def test_scipy_is_not_loaded_for_the_interval_of_a_trend() -> None:
    code = (
        "import sys\n"
        "import numpy as np\n"
        "from agingbench.metrics.trend import EffectFit\n"
        "one = np.ones(1)\n"
        "assert EffectFit(one, one, one, 0.0, 9, 7.0).interval()\n"
        "sys.exit('scipy' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
