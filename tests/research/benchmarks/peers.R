# What pROC, ROCR and glm say of tables: Rscript peers.R TRIALS THRESHOLDS VALUES
# TRIALS (table, label, score, probability) and THRESHOLDS (table, threshold) hold hexadecimal floats, and so
# does VALUES (table, function, value), one line a value in the order of the thresholds.

suppressPackageStartupMessages({
  library(ROCR)
  library(pROC)
})
asked <- commandArgs(TRUE)
read <- function(path) read.csv(path, colClasses = "character")
trials <- read(asked[1])
limits <- read(asked[2])

values_of <- function(label, score, probability, thresholds) {
  out <- list()
  put <- function(name, value) out[[name]] <<- as.numeric(value)
  tried <- function(call) tryCatch(suppressWarnings(call), error = function(e) NA)

  pred <- prediction(score, label)
  cutoffs <- pred@cutoffs[[1]]
  at <- vapply(thresholds, function(t) max(which(cutoffs >= t)), 0)
  rocr <- function(measure, ..., of = pred) tried(performance(of, measure, ...)@y.values[[1]])
  named <- c("acc", "err", "fpr", "tpr", "fnr", "tnr", "ppv", "npv", "pcfall", "pcmiss", "rpp", "rnp", "phi",
             "mi", "chisq", "odds", "lift")
  for (measure in named) put(paste0("ROCR: ", measure), rocr(measure)[at])
  put("ROCR: f", rocr("f")[at])
  put("ROCR: f(alpha=0.2)", rocr("f", alpha = 0.2)[at])
  put("ROCR: cost(cost.fn=5, cost.fp=2)", rocr("cost", cost.fn = 5, cost.fp = 2)[at])
  put("ROCR: min cost(cost.fn=5, cost.fp=2)", min(rocr("cost", cost.fn = 5, cost.fp = 2)))
  put("ROCR: max f", max(rocr("f"), na.rm = TRUE))
  put("ROCR: max phi", max(rocr("phi"), na.rm = TRUE))
  put("ROCR: auc", rocr("auc"))
  put("ROCR: auc(fpr.stop=0.3)", rocr("auc", fpr.stop = 0.3))
  put("ROCR: aucpr", rocr("aucpr"))
  put("ROCR: prbe", rocr("prbe")[1])
  hull <- tried(performance(pred, "rch"))
  x <- hull@x.values[[1]]
  y <- hull@y.values[[1]]
  put("ROCR: rch (area)", sum(diff(x) * (head(y, -1) + tail(y, -1)) / 2))
  costs <- tried(performance(pred, "ecost"))
  put("ROCR: max ecost", max(costs@y.values[[1]]))
  put("ROCR: ecost at 0.3", tried(approx(costs@x.values[[1]], costs@y.values[[1]], 0.3)$y))
  stated <- prediction(probability, label)
  put("ROCR: mxe", rocr("mxe", of = stated))
  put("ROCR: rmse", rocr("rmse", of = stated))
  put("ROCR: sar", rocr("sar", of = stated)[at])
  put("ROCR: mean cal(window.size=4)", mean(rocr("cal", window.size = 4, of = stated)))

  r <- roc(label, score, levels = c(0, 1), direction = "<", quiet = TRUE)
  put("pROC: auc", auc(r))
  put("pROC: auc of roc(direction='auto')", auc(roc(label, score, levels = c(0, 1), quiet = TRUE)))
  part <- function(range, focus, ...) {
    tried(auc(r, partial.auc = range, partial.auc.focus = focus, ...))
  }
  for (range in list(c(1, 0.7), c(0.9, 0.6))) {
    name <- paste0("partial.auc=c(", range[1], ", ", range[2], ")")
    for (focus in c("sp", "se")) {
      put(paste0("pROC: auc(", name, ", focus='", focus, "')"), part(range, focus))
      put(paste0("pROC: auc(", name, ", focus='", focus, "', correct)"),
          part(range, focus, partial.auc.correct = TRUE))
      put(paste0("pROC: auc(", name, ", focus='", focus, "', correct, allow.invalid)"),
          part(range, focus, partial.auc.correct = TRUE, allow.invalid.partial.auc.correct = TRUE))
    }
  }
  columns <- c("sensitivity", "specificity", "ppv", "npv", "accuracy", "fpr", "fnr", "fdr", "1-npv", "1-accuracy")
  found <- coords(r, x = thresholds, input = "threshold", ret = c(columns, "youden", "closest.topleft"))
  for (column in columns) put(paste0("pROC: coords(ret='", column, "')"), found[[column]])
  put("pROC: coords(ret='youden')", found[["youden"]])
  put("pROC: coords(ret='youden') - 1", found[["youden"]] - 1)
  put("pROC: coords(ret='closest.topleft')", found[["closest.topleft"]])
  put("pROC: sqrt coords(ret='closest.topleft')", sqrt(found[["closest.topleft"]]))
  best <- function(method) coords(r, "best", best.method = method, ret = method)[1, 1]
  put("pROC: coords('best', 'youden') - 1", best("youden") - 1)
  put("pROC: sqrt coords('best', 'closest.topleft')", sqrt(best("closest.topleft")))
  fixed <- function(x, input, ret) tried(coords(r, x = x, input = input, ret = ret)[1, 1])
  put("pROC: coords(0.9, 'specificity')", fixed(0.9, "specificity", "sensitivity"))
  put("pROC: coords(0.9, 'sensitivity')", fixed(0.9, "sensitivity", "specificity"))

  exact <- glm.control(epsilon = 1e-15, maxit = 100)
  log_odds <- qlogis(probability)
  put("glm(label ~ logit p): slope", tried(coef(glm(label ~ log_odds, family = binomial, control = exact))[2]))
  put("glm(label ~ offset(logit p)): intercept",
      tried(coef(glm(label ~ 1 + offset(log_odds), family = binomial, control = exact))[1]))
  out
}

lines <- c("table,function,value")
for (table in unique(trials$table)) {
  mine <- trials[trials$table == table, ]
  found <- values_of(as.numeric(mine$label), as.numeric(mine$score), as.numeric(mine$probability),
                     as.numeric(limits$threshold[limits$table == table]))
  for (name in names(found)) {
    lines <- c(lines, sprintf("%s,\"%s\",%s", table, name, sprintf("%a", found[[name]])))
  }
}
writeLines(lines, asked[3])
