"""Agreement between raters, with intervals."""

from benchmaker.stats.agreement.bland_altman import BlandAltman, bland_altman
from benchmaker.stats.agreement.bootstrap import Bootstrap, bootstrap
from benchmaker.stats.agreement.coefficient import Coefficient
from benchmaker.stats.agreement.concordance import Concordance, concordance
from benchmaker.stats.agreement.gwet import gwet_ac
from benchmaker.stats.agreement.icc import Intraclass, icc, icc_forms
from benchmaker.stats.agreement.kappa import cohen_kappa, cohen_kappa_of, fleiss_kappa
from benchmaker.stats.agreement.krippendorff import krippendorff_alpha
from benchmaker.stats.agreement.ratings import RatingTable, rating_table

__all__ = [
    "BlandAltman",
    "Bootstrap",
    "Coefficient",
    "Concordance",
    "Intraclass",
    "RatingTable",
    "bland_altman",
    "bootstrap",
    "cohen_kappa",
    "cohen_kappa_of",
    "concordance",
    "fleiss_kappa",
    "gwet_ac",
    "icc",
    "icc_forms",
    "krippendorff_alpha",
    "rating_table",
]
