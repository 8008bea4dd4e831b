# Read a study into data frames through Attune's API. Needs the package jsonlite.
#
#   export ATTUNE_TOKEN=attune_...
#   Rscript attune_study.R https://rate.example.org empathy-2026

# what the address answers; waits if the server is busy, at most six times
attune_get <- function(address, path = "", first_wait_s = 5) {
  for (try in 1:6) {
    source <- url(paste0(address, path), headers = c(
      Authorization = paste("Bearer", Sys.getenv("ATTUNE_TOKEN")),
      Accept = "application/json"
    ))
    problem <- tryCatch(open(source, "rb"), warning = conditionMessage, error = conditionMessage)
    if (is.null(problem)) {
      on.exit(close(source))
      return(jsonlite::fromJSON(source))
    }
    close(source)
    if (try == 6 || !grepl("HTTP status was '(429|503)", problem)) stop(problem, call. = FALSE)
    Sys.sleep(first_wait_s * 2^(try - 1))
  }
}

# items, responses, raters or ratings, as one data frame; filters as in docs/api.md
attune_table <- function(address, name, filters = "") {
  pages <- list()
  cursor <- ""
  while (!is.null(cursor)) {
    page <- attune_get(address, paste0("/", name, "?limit=1000&cursor=", cursor, filters))
    if (is.data.frame(page$rows)) pages <- c(pages, list(jsonlite::flatten(page$rows)))
    cursor <- page[["next"]]
  }
  columns <- unique(unlist(lapply(pages, names)))
  do.call(rbind, lapply(pages, function(page) {
    page[setdiff(columns, names(page))] <- NA
    page[columns]
  }))
}

# what people answered to trials shown first, without excluded answers; with people_only = FALSE every answer of every rater
attune_ratings <- function(address, people_only = TRUE) {
  if (!people_only) return(attune_table(address, "ratings"))
  ratings <- attune_table(address, "ratings", "&rater_kind=person&is_simulated=false")
  if (is.null(ratings)) return(data.frame())
  is_repeat <- !is.na(ratings[["repeat"]]) & ratings[["repeat"]] > 0
  ratings[!is_repeat & is.na(ratings$exclude), ]
}

attune_estimates <- function(address) attune_get(address, "/estimates")$estimates

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) == 2) {
  address <- paste0(sub("/$", "", arguments[1]), "/api/v1/studies/", arguments[2])
  ratings <- attune_ratings(address)
  print(table(ratings$question, ratings$source))
  print(head(attune_estimates(address)[c("section", "question", "statistic", "estimate")], 20))
}
