"""The publications that a report cites, and which statistic or method each of them stands for."""

from collections.abc import Iterable

from app.analysis.estimate import Estimate
from app.analysis.statistic import declared
from app.base.documents.reference import Reference
from app.stats.result import Procedure

# key | authors | year | title | journal or publisher | volume | pages | DOI
_LISTED = """
altman1995|Altman, D. G.; Bland, J. M.|1995|Absence of evidence is not evidence of absence|BMJ|311|485|10.1136/bmj.311.7003.485
angelopoulos2023|Angelopoulos, A. N.; Duchi, J. C.; Zrnic, T.|2023|PPI++: Efficient prediction-powered inference|arXiv:2311.01453
austin2009|Austin, P. C.|2009|Balance diagnostics for comparing the distribution of baseline covariates between treatment groups in propensity-score matched samples|Statistics in Medicine|28|3083–3107|10.1002/sim.3697
bates2015|Bates, D.; Mächler, M.; Bolker, B.; Walker, S.|2015|Fitting linear mixed-effects models using lme4|Journal of Statistical Software|67(1)|1–48|10.18637/jss.v067.i01
bell2002|Bell, R. M.; McCaffrey, D. F.|2002|Bias reduction in standard errors for linear regression with multi-stage samples|Survey Methodology|28|169–181
benjamini1995|Benjamini, Y.; Hochberg, Y.|1995|Controlling the false discovery rate: A practical and powerful approach to multiple testing|Journal of the Royal Statistical Society B|57|289–300|10.1111/j.2517-6161.1995.tb02031.x
bernaards2005|Bernaards, C. A.; Jennrich, R. I.|2005|Gradient projection algorithms and software for arbitrary rotation criteria in factor analysis|Educational and Psychological Measurement|65|676–696|10.1177/0013164404272507
bjornsson1968|Björnsson, C. H.|1968|Läsbarhet|Liber
bradley1952|Bradley, R. A.; Terry, M. E.|1952|Rank analysis of incomplete block designs: I. The method of paired comparisons|Biometrika|39|324–345|10.1093/biomet/39.3-4.324
brant1990|Brant, R.|1990|Assessing proportionality in the proportional odds model for ordinal logistic regression|Biometrics|46|1171–1178|10.2307/2532457
brennan1981|Brennan, R. L.; Prediger, D. J.|1981|Coefficient kappa: Some uses, misuses, and alternatives|Educational and Psychological Measurement|41|687–699|10.1177/001316448104100307
brennan2001|Brennan, R. L.|2001|Generalizability theory|Springer|||10.1007/978-1-4757-3456-0
breslow1993|Breslow, N. E.; Clayton, D. G.|1993|Approximate inference in generalized linear mixed models|Journal of the American Statistical Association|88|9–25|10.1080/01621459.1993.10594284
brier1950|Brier, G. W.|1950|Verification of forecasts expressed in terms of probability|Monthly Weather Review|78|1–3
calderon2025|Calderon, N.; Reichart, R.; Dror, R.|2025|The alternative annotator test for LLM-as-a-judge: How to statistically justify replacing human annotators with LLMs|Proceedings of the 63rd Annual Meeting of the Association for Computational Linguistics (Volume 1: Long Papers)||16051–16081|10.18653/v1/2025.acl-long.782
cameron2011|Cameron, A. C.; Gelbach, J. B.; Miller, D. L.|2011|Robust inference with multiway clustering|Journal of Business & Economic Statistics|29|238–249|10.1198/jbes.2010.07136
christensen2019|Christensen, R. H. B.|2019|ordinal: Regression models for ordinal data|R package version 2019.12-10
clark1973|Clark, H. H.|1973|The language-as-fixed-effect fallacy: A critique of language statistics in psychological research|Journal of Verbal Learning and Verbal Behavior|12|335–359|10.1016/S0022-5371(73)80014-3
cliff1993|Cliff, N.|1993|Dominance statistics: Ordinal analyses to answer ordinal questions|Psychological Bulletin|114|494–509|10.1037/0033-2909.114.3.494
clopper1934|Clopper, C. J.; Pearson, E. S.|1934|The use of confidence or fiducial limits illustrated in the case of the binomial|Biometrika|26|404–413|10.1093/biomet/26.4.404
cochran1950|Cochran, W. G.|1950|The comparison of percentages in matched samples|Biometrika|37|256–266|10.1093/biomet/37.3-4.256
cohen1960|Cohen, J.|1960|A coefficient of agreement for nominal scales|Educational and Psychological Measurement|20|37–46|10.1177/001316446002000104
cohen1968|Cohen, J.|1968|Weighted kappa: Nominal scale agreement with provision for scaled disagreement or partial credit|Psychological Bulletin|70|213–220|10.1037/h0026256
cronbach1951|Cronbach, L. J.|1951|Coefficient alpha and the internal structure of tests|Psychometrika|16|297–334|10.1007/BF02310555
cureton1956|Cureton, E. E.|1956|Rank-biserial correlation|Psychometrika|21|287–290|10.1007/BF02289138
davidson1970|Davidson, R. R.|1970|On extending the Bradley-Terry model to accommodate ties in paired comparison experiments|Journal of the American Statistical Association|65|317–328|10.1080/01621459.1970.10481082
davidson1977|Davidson, R. R.; Beaver, R. J.|1977|On extending the Bradley-Terry model to incorporate within-pair order effects|Biometrics|33|693–702|10.2307/2529467
dawid1979|Dawid, A. P.; Skene, A. M.|1979|Maximum likelihood estimation of observer error-rates using the EM algorithm|Applied Statistics|28|20–28|10.2307/2346806
degroot1983|DeGroot, M. H.; Fienberg, S. E.|1983|The comparison and evaluation of forecasters|The Statistician|32|12–22|10.2307/2987588
dubois2024|Dubois, Y.; Galambosi, B.; Liang, P.; Hashimoto, T. B.|2024|Length-controlled AlpacaEval: A simple way to debias automatic evaluators|arXiv:2404.04475
efron1993|Efron, B.; Tibshirani, R. J.|1993|An introduction to the bootstrap|Chapman & Hall
egami2023|Egami, N.; Hinck, M.; Stewart, B. M.; Wei, H.|2023|Using imperfect surrogates for downstream inference: Design-based supervised learning for social science applications of large language models|Advances in Neural Information Processing Systems|36|68589–68601
enders2007|Enders, C. K.; Tofighi, D.|2007|Centering predictor variables in cross-sectional multilevel models: A new look at an old issue|Psychological Methods|12|121–138|10.1037/1082-989X.12.2.121
feldt1965|Feldt, L. S.|1965|The approximate sampling distribution of Kuder-Richardson reliability coefficient twenty|Psychometrika|30|357–370
fieller1954|Fieller, E. C.|1954|Some problems in interval estimation|Journal of the Royal Statistical Society B|16|175–185|10.1111/j.2517-6161.1954.tb00159.x
finn1970|Finn, R. H.|1970|A note on estimating the reliability of categorical data|Educational and Psychological Measurement|30|71–76
fleiss1969|Fleiss, J. L.; Cohen, J.; Everitt, B. S.|1969|Large sample standard errors of kappa and weighted kappa|Psychological Bulletin|72|323–327|10.1037/h0028106
fleiss1971|Fleiss, J. L.|1971|Measuring nominal scale agreement among many raters|Psychological Bulletin|76|378–382|10.1037/h0031619
flesch1948|Flesch, R.|1948|A new readability yardstick|Journal of Applied Psychology|32|221–233|10.1037/h0057532
green1966|Green, D. M.; Swets, J. A.|1966|Signal detection theory and psychophysics|Wiley
guo2017|Guo, C.; Pleiss, G.; Sun, Y.; Weinberger, K. Q.|2017|On calibration of modern neural networks|Proceedings of the 34th International Conference on Machine Learning|70|1321–1330
gwet2008|Gwet, K. L.|2008|Computing inter-rater reliability and its variance in the presence of high agreement|British Journal of Mathematical and Statistical Psychology|61|29–48|10.1348/000711006X126600
gwet2014|Gwet, K. L.|2014|Handbook of inter-rater reliability (4th ed.)|Advanced Analytics
hainmueller2014|Hainmueller, J.; Hopkins, D. J.; Yamamoto, T.|2014|Causal inference in conjoint analysis: Understanding multidimensional choices via stated preference experiments|Political Analysis|22|1–30|10.1093/pan/mpt024
holm1979|Holm, S.|1979|A simple sequentially rejective multiple test procedure|Scandinavian Journal of Statistics|6|65–70
horn1965|Horn, J. L.|1965|A rationale and test for the number of factors in factor analysis|Psychometrika|30|179–185|10.1007/BF02289447
humphreys1975|Humphreys, L. G.; Montanelli, R. G.|1975|An investigation of the parallel analysis criterion for determining the number of common factors|Multivariate Behavioral Research|10|193–205|10.1207/s15327906mbr1002_5
hutto2014|Hutto, C. J.; Gilbert, E.|2014|VADER: A parsimonious rule-based model for sentiment analysis of social media text|Proceedings of the International AAAI Conference on Web and Social Media|8|216–225|10.1609/icwsm.v8i1.14550
ickes1993|Ickes, W.|1993|Empathic accuracy|Journal of Personality|61|587–610|10.1111/j.1467-6494.1993.tb00783.x
imbens2004|Imbens, G. W.; Manski, C. F.|2004|Confidence intervals for partially identified parameters|Econometrica|72|1845–1857|10.1111/j.1468-0262.2004.00555.x
jodoin2001|Jodoin, M. G.; Gierl, M. J.|2001|Evaluating Type I error and power rates using an effect size measure with the logistic regression procedure for DIF detection|Applied Measurement in Education|14|329–349|10.1207/S15324818AME1404_2
kendall1939|Kendall, M. G.; Babington Smith, B.|1939|The problem of m rankings|Annals of Mathematical Statistics|10|275–287|10.1214/aoms/1177732186
krippendorff2004|Krippendorff, K.|2004|Reliability in content analysis: Some common misconceptions and recommendations|Human Communication Research|30|411–433|10.1111/j.1468-2958.2004.tb00738.x
krippendorff2011|Krippendorff, K.|2011|Computing Krippendorff's alpha-reliability|Annenberg School for Communication, University of Pennsylvania
kuznetsova2017|Kuznetsova, A.; Brockhoff, P. B.; Christensen, R. H. B.|2017|lmerTest package: Tests in linear mixed effects models|Journal of Statistical Software|82(13)|1–26|10.18637/jss.v082.i13
lan1983|Lan, K. K. G.; DeMets, D. L.|1983|Discrete sequential boundaries for clinical trials|Biometrika|70|659–663|10.1093/biomet/70.3.659
lawley1971|Lawley, D. N.; Maxwell, A. E.|1971|Factor analysis as a statistical method|Butterworths
lee2009|Lee, D. S.|2009|Training, wages, and sample selection: Estimating sharp bounds on treatment effects|Review of Economic Studies|76|1071–1102|10.1111/j.1467-937X.2009.00536.x
linacre1989|Linacre, J. M.|1989|Many-facet Rasch measurement|MESA Press
mann1947|Mann, H. B.; Whitney, D. R.|1947|On a test of whether one of two random variables is stochastically larger than the other|Annals of Mathematical Statistics|18|50–60|10.1214/aoms/1177730491
mathur2019|Mathur, M. B.; VanderWeele, T. J.|2019|New metrics for meta-analyses of heterogeneous effects|Statistics in Medicine|38|1336–1342|10.1002/sim.8057
maxwell1970|Maxwell, A. E.|1970|Comparing the classification of subjects by two independent judges|British Journal of Psychiatry|116|651–655|10.1192/bjp.116.535.651
mccullagh1980|McCullagh, P.|1980|Regression models for ordinal data|Journal of the Royal Statistical Society B|42|109–142|10.1111/j.2517-6161.1980.tb01109.x
mcdonald1999|McDonald, R. P.|1999|Test theory: A unified treatment|Erlbaum
mcgraw1996|McGraw, K. O.; Wong, S. P.|1996|Forming inferences about some intraclass correlation coefficients|Psychological Methods|1|30–46|10.1037/1082-989X.1.1.30
meade2012|Meade, A. W.; Craig, S. B.|2012|Identifying careless responses in survey data|Psychological Methods|17|437–455|10.1037/a0028085
naeini2015|Naeini, M. P.; Cooper, G. F.; Hauskrecht, M.|2015|Obtaining well calibrated probabilities using Bayesian binning|Proceedings of the AAAI Conference on Artificial Intelligence|29|2901–2907|10.1609/aaai.v29i1.9602
nagashima2019|Nagashima, K.; Noma, H.; Furukawa, T. A.|2019|Prediction interval for random-effects meta-analysis: A confidence distribution approach|Statistical Methods in Medical Research|28|1689–1702|10.1177/0962280218773520
newcombe1998|Newcombe, R. G.|1998|Two-sided confidence intervals for the single proportion: Comparison of seven methods|Statistics in Medicine|17|857–872
newcombe1998b|Newcombe, R. G.|1998|Interval estimation for the difference between independent proportions: Comparison of eleven methods|Statistics in Medicine|17|873–890
obrien1979|O'Brien, P. C.; Fleming, T. R.|1979|A multiple testing procedure for clinical trials|Biometrics|35|549–556|10.2307/2530245
owen2007|Owen, A. B.|2007|The pigeonhole bootstrap|Annals of Applied Statistics|1|386–411|10.1214/07-AOAS122
pearson1900|Pearson, K.|1900|On the criterion that a given system of deviations from the probable in the case of a correlated system of variables is such that it can be reasonably supposed to have arisen from random sampling|Philosophical Magazine|50|157–175|10.1080/14786440009463897
pocock1977|Pocock, S. J.|1977|Group sequential methods in the design and analysis of clinical trials|Biometrika|64|191–199|10.1093/biomet/64.2.191
pustejovsky2018|Pustejovsky, J. E.; Tipton, E.|2018|Small-sample methods for cluster-robust variance estimation and hypothesis testing in fixed effects models|Journal of Business & Economic Statistics|36|672–683|10.1080/07350015.2016.1247004
raaijmakers1999|Raaijmakers, J. G. W.; Schrijnemakers, J. M. C.; Gremmen, F.|1999|How to deal with "the language-as-fixed-effect fallacy": Common misconceptions and alternative solutions|Journal of Memory and Language|41|416–426|10.1006/jmla.1999.2650
schuirmann1987|Schuirmann, D. J.|1987|A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence of average bioavailability|Journal of Pharmacokinetics and Biopharmaceutics|15|657–680|10.1007/BF01068419
shrout1979|Shrout, P. E.; Fleiss, J. L.|1979|Intraclass correlations: Uses in assessing rater reliability|Psychological Bulletin|86|420–428|10.1037/0033-2909.86.2.420
simmons2011|Simmons, J. P.; Nelson, L. D.; Simonsohn, U.|2011|False-positive psychology: Undisclosed flexibility in data collection and analysis allows presenting anything as significant|Psychological Science|22|1359–1366|10.1177/0956797611417632
simonsohn2020|Simonsohn, U.; Simmons, J. P.; Nelson, L. D.|2020|Specification curve analysis|Nature Human Behaviour|4|1208–1214|10.1038/s41562-020-0912-z
steegen2016|Steegen, S.; Tuerlinckx, F.; Gelman, A.; Vanpaemel, W.|2016|Increasing transparency through a multiverse analysis|Perspectives on Psychological Science|11|702–712|10.1177/1745691616658637
simpson1949|Simpson, E. H.|1949|Measurement of diversity|Nature|163|688|10.1038/163688a0
stuart1955|Stuart, A.|1955|A test for homogeneity of the marginal distributions in a two-way classification|Biometrika|42|412–416|10.1093/biomet/42.3-4.412
student1908|Student|1908|The probable error of a mean|Biometrika|6|1–25|10.1093/biomet/6.1.1
thorndike1920|Thorndike, E. L.|1920|A constant error in psychological ratings|Journal of Applied Psychology|4|25–29|10.1037/h0071663
vickers2001|Vickers, A. J.; Altman, D. G.|2001|Analysing controlled trials with baseline and follow up measurements|BMJ|323|1123–1124|10.1136/bmj.323.7321.1123
welch1947|Welch, B. L.|1947|The generalization of ‘Student’s’ problem when several different population variances are involved|Biometrika|34|28–35|10.1093/biomet/34.1-2.28
wilcoxon1945|Wilcoxon, F.|1945|Individual comparisons by ranking methods|Biometrics Bulletin|1|80–83|10.2307/3001968
wilson1927|Wilson, E. B.|1927|Probable inference, the law of succession, and statistical inference|Journal of the American Statistical Association|22|209–212|10.1080/01621459.1927.10502953
zaki2008|Zaki, J.; Bolger, N.; Ochsner, K.|2008|It takes two: The interpersonal nature of empathic accuracy|Psychological Science|19|399–404
zhou2016|Zhou, H.; Fishbach, A.|2016|The pitfall of experimenting on the web: How unattended selective attrition leads to surprising (yet false) research conclusions|Journal of Personality and Social Psychology|111|493–504|10.1037/pspa0000056
zrnic2024|Zrnic, T.; Candès, E. J.|2024|Active statistical inference|Proceedings of the 41st International Conference on Machine Learning|235|62993–63010
zumbo1999|Zumbo, B. D.|1999|A handbook on the theory and methods of differential item functioning (DIF): Logistic regression modeling as a unitary framework for binary and Likert-type (ordinal) item scores|Directorate of Human Resources Research and Evaluation, Department of National Defense
"""


def _read(line: str) -> Reference:
    key, authors, year, title, where, *place = line.split("|")
    return Reference(key, authors, int(year), title, where, *place)


REFERENCES: dict[str, Reference] = {one.key: one for one in map(_read, _LISTED.strip().splitlines())}

# by procedure: how intervals are made, in words, and what that cites
OF_PROCEDURE: dict[Procedure | None, tuple[str, tuple[str, ...]]] = {
    "two_way_cluster_t": ("t intervals with two-way clustering by items and raters", ("cameron2011",)),
    "two_way_cr2_t": (
        "two-way cluster-robust t intervals with small-sample correction",
        ("bell2002", "pustejovsky2018"),
    ),
    "item_cr2_t": ("cluster-robust t intervals by items with small-sample correction", ("bell2002", "pustejovsky2018")),
    "item_cluster_t": ("t intervals with clustering by items", ("cameron2011",)),
    "three_way_cluster_t": ("t intervals with clustering by items, raters and sources", ("cameron2011",)),
    "cluster_t_units": ("t intervals with clustering by units", ("cameron2011",)),
    "min_f_t": (
        "t intervals of min F' by items and responders, with small-sample correction",
        ("clark1973", "raaijmakers1999", "bell2002"),
    ),
    "t_paired": ("paired t intervals of item means", ("student1908",)),
    "t_welch": ("Welch's t intervals of raters' means", ("welch1947",)),
    "t_unpaired": ("unpaired t intervals of item means", ("student1908",)),
    "ancova_cr2_t": (
        "CR2 intervals of an analysis of covariance, with Satterthwaite degrees of freedom",
        ("vickers2001", "bell2002", "pustejovsky2018"),
    ),
    "lmm_satterthwaite": ("linear mixed models with Satterthwaite degrees of freedom", ("bates2015", "kuznetsova2017")),
    "clmm_laplace": (
        "cumulative link mixed models with crossed random effects, Laplace approximation",
        ("mccullagh1980", "christensen2019"),
    ),
    "glmm_laplace": ("logistic mixed models with crossed random effects, Laplace approximation", ("breslow1993",)),
    "pigeonhole": ("the pigeonhole bootstrap", ("owen2007",)),
    "jackknife_two_way": ("jackknife intervals over units and raters", ("efron1993",)),
    "jackknife_raters": ("delete-one jackknife intervals over raters", ("efron1993",)),
    "jackknife_texts": ("delete-one jackknife intervals over texts", ("efron1993",)),
    "jackknife_units": ("infinitesimal jackknife intervals", ("efron1993",)),
    "bins_bootstrap": ("bootstrap bounds of the total error of the bins", ("efron1993",)),
    "bootstrap_units": ("bootstrap percentile intervals", ("efron1993",)),
    "bootstrap_items": ("bootstrap percentile intervals", ("efron1993",)),
    "wilson": ("Wilson intervals", ("wilson1927",)),
    "wilson_cc": ("Wilson intervals with continuity correction", ("wilson1927", "newcombe1998")),
    "newcombe": ("Newcombe's intervals from Wilson limits", ("newcombe1998b",)),
    "imbens_manski": ("Imbens-Manski intervals of Lee's bounds", ("imbens2004", "lee2009")),
    "clopper_pearson": ("Clopper-Pearson intervals", ("clopper1934",)),
    "asymptotic_normal": ("large-sample normal intervals of kappa", ("fleiss1969",)),
    "f_distribution": ("intervals from the F distribution", ("mcgraw1996",)),
    "feldt": ("Feldt's intervals from the F distribution", ("feldt1965",)),
    "two_way_jackknife_t": ("two-way jackknife t intervals", ("cameron2011", "efron1993")),
    "prediction_distribution": ("prediction intervals from linear mixed models", ("nagashima2019", "bates2015")),
}
# the text measures, by the covariate in the scope of an estimate
OF_TEXT_MEASURE = {"lix": "bjornsson1968", "flesch": "flesch1948", "sentiment": "hutto2014"}


def of_statistic(statistic: str) -> list[Reference]:
    """What a statistic cites; empty for counts, means and shares."""
    return [REFERENCES[key] for key in declared(statistic).cites]


def of_procedure(procedure: Procedure | None) -> tuple[str, list[Reference]] | None:
    """The words of a way to make intervals with what they cite; None for one that is not of that list."""
    if procedure not in OF_PROCEDURE:
        return None
    words, keys = OF_PROCEDURE[procedure]
    return words, [REFERENCES[key] for key in keys]


def of_estimate(estimate: Estimate) -> list[Reference]:
    """What an estimate cites: the source of its statistic, or else of its interval, and that of its text measure."""
    found = of_statistic(estimate.statistic) or _of_interval(estimate)
    measure = OF_TEXT_MEASURE.get(str(estimate.scope.get("covariate")))
    return [*found, REFERENCES[measure]] if measure else found


def references_of(estimates: Iterable[Estimate]) -> list[Reference]:
    """Every publication that these estimates cite, in the order of the list."""
    found = {one.key for estimate in estimates for one in (*of_estimate(estimate), *_of_interval(estimate))}
    return [reference for key, reference in REFERENCES.items() if key in found]


def _of_interval(estimate: Estimate) -> list[Reference]:
    method = of_procedure(estimate.procedure) if estimate.ci_low is not None else None
    return method[1] if method else []
