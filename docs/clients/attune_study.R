# Read a study into data frames through Attune's API. Needs the package jsonlite.
#
#   export ATTUNE_TOKEN=attune_...
#   Rscript attune_study.R https://rate.example.org empathy-2026

attune_get <- function(address, path = "") {
  source <- url(paste0(address, path), headers = c(
    Authorization = paste("Bearer", Sys.getenv("ATTUNE_TOKEN")),
    Accept = "application/json"
  ))
  jsonlite::fromJSON(source)
}

# items, responses, raters or ratings, as one data frame
attune_table <- function(address, name) {
  pages <- list()
  cursor <- ""
  while (!is.null(cursor)) {
    page <- attune_get(address, paste0("/", name, "?limit=1000&cursor=", cursor))
    pages <- c(pages, list(page$rows))
    cursor <- page[["next"]]
  }
  jsonlite::rbind_pages(pages)
}

# the answers of people to trials shown first; with people_only = FALSE those of judges and all others too
attune_ratings <- function(address, people_only = TRUE) {
  ratings <- attune_table(address, "ratings")
  if (!people_only || is.null(nrow(ratings)) || nrow(ratings) == 0) return(ratings)
  counted <- ratings[ratings$rater_kind == "person" & ratings$is_simulated == "false", ]
  if ("repeat" %in% names(counted)) counted <- counted[is.na(counted[["repeat"]]) | counted[["repeat"]] == 0, ]
  counted
}

attune_estimates <- function(address) attune_get(address, "/estimates")$estimates

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) == 2) {
  address <- paste0(sub("/$", "", arguments[1]), "/api/v1/studies/", arguments[2])
  ratings <- attune_ratings(address)
  print(table(ratings$question, ratings$source))
  print(head(attune_estimates(address)[c("section", "question", "statistic", "estimate")], 20))
}
