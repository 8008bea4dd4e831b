# Known answers of R's packages: `Rscript known_answers.R > known_answers.json` writes them again.
# Needs psych, GPArotation, lavaan, lmerTest, emmeans and jsonlite. Data are lavaan's, or simulated here and stored too.
suppressPackageStartupMessages({
  library(psych)
  library(lavaan)
  library(lmerTest)
  library(emmeans)
})
RNGkind("Mersenne-Twister", "Inversion", "Rejection")

# Nine tests of 301 pupils (Holzinger and Swineford 1939), as maximum-likelihood factors.
tests <- HolzingerSwineford1939[paste0("x", 1:9)]
correlations <- cor(tests)
of_psych <- function(rotate) {
  found <- fa(correlations, nfactors = 3, n.obs = nrow(tests), fm = "ml", rotate = rotate)
  phi <- if (is.null(found$Phi)) diag(3) else found$Phi
  list(loadings = unclass(unname(found$loadings)), correlations = unname(phi), unique = unname(found$uniquenesses))
}
of_lavaan <- function(rotation) {
  found <- lavInspect(efa(tests, nfactors = 3, rotation = rotation, output = "lavaan"), "std")
  list(
    loadings = unclass(unname(found$lambda)), correlations = unclass(unname(found$psi)),
    unique = unname(diag(found$theta))
  )
}
structure_of <- function(correlations) list(
  correlations = unname(correlations), n = nrow(tests),
  psych_oblimin = of_psych("oblimin"), psych_varimax = of_psych("varimax"),
  lavaan_oblimin = of_lavaan("oblimin"), lavaan_varimax = of_lavaan("varimax")
)

# Two sources, rated by two groups of raters: an interaction by a linear mixed model with crossed random effects.
interaction_of <- function(seed, n_items, n_raters) {
  set.seed(seed)
  long <- expand.grid(source = 0:1, rater = seq_len(n_raters), item = seq_len(n_items))
  long$group <- (long$rater <= n_raters / 2) * 1
  by_item <- matrix(rnorm(4 * n_items, 0, c(.8, .5, .4, .5)), ncol = n_items)
  by_rater <- matrix(rnorm(2 * n_raters, 0, c(.7, .5)), ncol = n_raters)
  with(long, {
    value <- 4 + .4 * source + .3 * group + .5 * source * group +
      by_item[cbind(1, item)] + by_item[cbind(2, item)] * source + by_item[cbind(3, item)] * group +
      by_item[cbind(4, item)] * source * group +
      by_rater[cbind(1, rater)] + by_rater[cbind(2, rater)] * source + rnorm(nrow(long))
    long$value <<- round(value, 3)
  })
  long <- transform(long, source = factor(source), group = factor(group), item = factor(item), rater = factor(rater))
  fit <- lmer(
    value ~ source * group + (1 | item) + (1 | item:source) + (1 | item:group) + (1 | item:source:group) +
      (1 | rater) + (1 | rater:source),
    data = long, control = lmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e5))
  )
  cells <- emmeans(fit, ~ source * group, lmer.df = "satterthwaite")
  found <- as.data.frame(contrast(cells, interaction = "revpairwise", by = NULL))
  list(
    value = long$value, item = as.integer(long$item), rater = as.integer(long$rater),
    source = as.integer(long$source) - 1L, group = as.integer(long$group) - 1L,
    estimate = found$estimate, error = found$SE, df = found$df
  )
}

# Scores before and after in two arms, of which the smaller varies more: analysis of covariance with HC2, and the degrees
# of freedom of Bell and McCaffrey (2002) under independent errors of equal variance.
covariance_of <- function(seed, n) {
  set.seed(seed)
  arm <- rep(1:0, c(round(n / 3), n - round(n / 3)))
  before <- round(rnorm(n, 50, 10), 2)
  after <- round(20 + .6 * before - 5 * arm + rnorm(n, 0, ifelse(arm == 1, 12, 6)), 2)
  fit <- lm(after ~ before + arm)
  X <- model.matrix(fit)
  H <- X %*% solve(crossprod(X), t(X))
  pull <- (solve(crossprod(X), t(X)))[3, ]
  G <- (diag(n) - H) * (pull / sqrt(1 - diag(H)))
  working <- G %*% t(G)
  classic <- summary(fit)$coefficients[3, ]
  list(
    before = before, after = after, arm = arm, estimate = unname(coef(fit)[3]), classic_error = unname(classic[2]),
    hc2_error = sqrt(sum((pull * resid(fit))^2 / (1 - diag(H)))),
    df = sum(diag(working))^2 / sum(working^2)
  )
}

json <- jsonlite::toJSON(
  list(
    versions = lapply(c(psych = "psych", lavaan = "lavaan", lme4 = "lme4", lmerTest = "lmerTest", emmeans = "emmeans"),
                      function(package) as.character(packageVersion(package))),
    holzinger_swineford = structure_of(correlations),
    interactions = list(interaction_of(1, 24, 12), interaction_of(2, 16, 20)),
    covariance = list(covariance_of(3, 18), covariance_of(4, 60))
  ),
  digits = 10, auto_unbox = TRUE, pretty = FALSE
)
cat(gsub('],"', '],\n"', json, fixed = TRUE), "\n")
