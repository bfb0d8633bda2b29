"""Statistics: numbers in, frozen results out; no domain, no input or output.

For ratings see :mod:`benchmaker.stats.ratings`, for agreement :mod:`benchmaker.stats.agreement`.
The names below are imported when they are first used, except those of the module that is named
like its function.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from benchmaker.stats.power.power import AdditionalCases, Power, n_more, power

if TYPE_CHECKING:
    from benchmaker.stats.agreement.correlation import Correlation, kendall, pearson, spearman
    from benchmaker.stats.agreement.recalibration import (
        IsotonicMap,
        LeaveOneOut,
        LinearMap,
        MappedValues,
        fit_isotonic,
        fit_linear,
        leave_one_out,
    )
    from benchmaker.stats.means.bounded import bounded_mean
    from benchmaker.stats.means.corrected import PpiEstimate
    from benchmaker.stats.means.hierarchy import Noise, TwoLevel, two_level
    from benchmaker.stats.means.means import Mean, weighted_mean
    from benchmaker.stats.means.pass_at_k import PassRate, pass_at_k, pass_hat_k
    from benchmaker.stats.means.ppi import PpiSample, ppi_difference, ppi_mean
    from benchmaker.stats.means.prevalence import Prevalence, rogan_gladen
    from benchmaker.stats.means.proportions import Proportion, proportion
    from benchmaker.stats.pairs.compact_letters import compact_letters
    from benchmaker.stats.pairs.effects import d_av, d_z, hedges, p_superior
    from benchmaker.stats.pairs.equivalence import Equivalence, tost, tost_binary
    from benchmaker.stats.pairs.max_t import MaxT, max_t
    from benchmaker.stats.pairs.mcnemar import McNemar, mcnemar
    from benchmaker.stats.pairs.multiple_comparisons import (
        adjust_p_values,
        benjamini_hochberg,
        benjamini_yekutieli,
        holm,
    )
    from benchmaker.stats.pairs.pair import Pair, head_to_head
    from benchmaker.stats.pairs.paired import PairedT, paired_t
    from benchmaker.stats.pairs.pairs import AdjustedPair, AllPairs, all_pairs
    from benchmaker.stats.pairs.permutation import SignFlip, sign_flip
    from benchmaker.stats.pairs.pooled import PooledT, pooled_t
    from benchmaker.stats.pairs.welch import Welch, welch
    from benchmaker.stats.power.components import Components

__all__ = [
    "AdditionalCases",
    "AdjustedPair",
    "AllPairs",
    "Components",
    "Correlation",
    "Equivalence",
    "IsotonicMap",
    "LeaveOneOut",
    "LinearMap",
    "MappedValues",
    "MaxT",
    "McNemar",
    "Mean",
    "Noise",
    "Pair",
    "PairedT",
    "PassRate",
    "PooledT",
    "Power",
    "PpiEstimate",
    "PpiSample",
    "Prevalence",
    "Proportion",
    "SignFlip",
    "TwoLevel",
    "Welch",
    "adjust_p_values",
    "all_pairs",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bounded_mean",
    "compact_letters",
    "d_av",
    "d_z",
    "fit_isotonic",
    "fit_linear",
    "head_to_head",
    "hedges",
    "holm",
    "kendall",
    "leave_one_out",
    "max_t",
    "mcnemar",
    "n_more",
    "p_superior",
    "paired_t",
    "pass_at_k",
    "pass_hat_k",
    "pearson",
    "pooled_t",
    "power",
    "ppi_difference",
    "ppi_mean",
    "proportion",
    "rogan_gladen",
    "sign_flip",
    "spearman",
    "tost",
    "tost_binary",
    "two_level",
    "weighted_mean",
    "welch",
]

_HOMES = {
    "AdjustedPair": "pairs.pairs",
    "AllPairs": "pairs.pairs",
    "Components": "power.components",
    "Correlation": "agreement.correlation",
    "Equivalence": "pairs.equivalence",
    "IsotonicMap": "agreement.recalibration",
    "LeaveOneOut": "agreement.recalibration",
    "LinearMap": "agreement.recalibration",
    "MappedValues": "agreement.recalibration",
    "MaxT": "pairs.max_t",
    "McNemar": "pairs.mcnemar",
    "Mean": "means.means",
    "Noise": "means.hierarchy",
    "Pair": "pairs.pair",
    "PairedT": "pairs.paired",
    "PassRate": "means.pass_at_k",
    "PooledT": "pairs.pooled",
    "PpiEstimate": "means.corrected",
    "PpiSample": "means.ppi",
    "Prevalence": "means.prevalence",
    "Proportion": "means.proportions",
    "SignFlip": "pairs.permutation",
    "TwoLevel": "means.hierarchy",
    "Welch": "pairs.welch",
    "adjust_p_values": "pairs.multiple_comparisons",
    "all_pairs": "pairs.pairs",
    "benjamini_hochberg": "pairs.multiple_comparisons",
    "benjamini_yekutieli": "pairs.multiple_comparisons",
    "bounded_mean": "means.bounded",
    "compact_letters": "pairs.compact_letters",
    "d_av": "pairs.effects",
    "d_z": "pairs.effects",
    "fit_isotonic": "agreement.recalibration",
    "fit_linear": "agreement.recalibration",
    "head_to_head": "pairs.pair",
    "hedges": "pairs.effects",
    "holm": "pairs.multiple_comparisons",
    "kendall": "agreement.correlation",
    "leave_one_out": "agreement.recalibration",
    "max_t": "pairs.max_t",
    "mcnemar": "pairs.mcnemar",
    "p_superior": "pairs.effects",
    "paired_t": "pairs.paired",
    "pass_at_k": "means.pass_at_k",
    "pass_hat_k": "means.pass_at_k",
    "pearson": "agreement.correlation",
    "pooled_t": "pairs.pooled",
    "ppi_difference": "means.ppi",
    "ppi_mean": "means.ppi",
    "proportion": "means.proportions",
    "rogan_gladen": "means.prevalence",
    "sign_flip": "pairs.permutation",
    "spearman": "agreement.correlation",
    "tost": "pairs.equivalence",
    "tost_binary": "pairs.equivalence",
    "two_level": "means.hierarchy",
    "weighted_mean": "means.means",
    "welch": "pairs.welch",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
