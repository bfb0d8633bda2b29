"""The effective number of clusters behind each rating and each difference."""

import numpy as np

from benchmaker.stats.ratings.rating import Floats
from benchmaker.stats.ratings.slopes import ClusterSlopes

_ROUNDING = 1e-9


def effective_clusters(slopes: ClusterSlopes, information: Floats) -> Floats:
    """Return G* = G/(1 + Γ) of each parameter (diagonal) and of each difference (elsewhere).

    Γ is the squared coefficient of variation over clusters of v_g, the contribution of cluster g to
    the variance of the figure, so that G* = (Σ v_g)² / Σ v_g². v_g of a parameter is the variance
    that the model expects of the sum of its slopes in the cluster if battles are independent (for a
    strength Σ w²·p·(1 - p) over the model's battles), divided by the square of the parameter's
    ``information``. v_g of a difference is the sum of both.
    This is also Satterthwaite's number of degrees of freedom for Σ s_g². If all clusters
    contribute alike, it is the number of clusters. It is 0 without information.

    The form with sums of weights, (Σ w_g)² / Σ w_g², is not used: a variance contains squares of
    weights, and a model can owe its rating to a few clusters while others have many.

    Source: Carter, Schnepel and Steigerwald 2017, Review of Economics and Statistics 99;
    Satterthwaite 1946, Biometrics Bulletin 2.
    """
    total, products = np.zeros(slopes.size), np.zeros((slopes.size, slopes.size))
    for squares in slopes.parts(squared=True):
        total += squares.sum(axis=0)
        products += squares.T @ squares
    scale = np.divide(1.0, information**2, out=np.zeros_like(information), where=information > 0)
    total, products = total * scale, products * np.outer(scale, scale)
    own = np.diag(products)
    sums, squared = total[:, None] + total, own[:, None] + own + 2 * products
    found = np.divide(sums**2, squared, out=np.zeros_like(sums), where=squared > 0)
    is_even = np.abs(found - slopes.number) <= _ROUNDING * slopes.number
    return np.where(is_even, float(slopes.number), found)
