# pROC's test of two AUCs on the same trials: Rscript speed_pieces.R FOLDER delong|bootstrap REPLICATES
# Prints the seconds from arrays to answer, and the statistic (difference over its standard error).

suppressPackageStartupMessages(library(pROC))
asked <- commandArgs(TRUE)
file <- function(name) file.path(asked[1], name)
n <- base::file.size(file("label.bin")) / 4
label <- readBin(file("label.bin"), "integer", n, size = 4)
scores <- matrix(readBin(file("scores.bin"), "double", 2 * n), ncol = 2)
set.seed(1)

taken <- system.time({
  one <- roc(label, scores[, 1], levels = 0:1, direction = "<", quiet = TRUE)
  other <- roc(label, scores[, 2], levels = 0:1, direction = "<", quiet = TRUE)
  tested <- if (asked[2] == "delong") {
    roc.test(one, other, method = "delong", paired = TRUE)
  } else {
    roc.test(one, other, method = "bootstrap", paired = TRUE, boot.n = as.integer(asked[3]),
             boot.stratified = FALSE, progress = "none")
  }
})
cat(sprintf("%.6f %.15g\n", taken[["elapsed"]], tested$statistic))
