# Check that a message comes from Attune and was sent within the last five minutes. Needs the packages digest and jsonlite.
# secret: whsec_...; headers: a list with names in lower case; body: the text of the request.
is_genuine <- function(secret, headers, body, tolerance_s = 300) {
  key <- jsonlite::base64_dec(sub("^whsec_", "", secret))
  signed <- paste(headers[["webhook-id"]], headers[["webhook-timestamp"]], body, sep = ".")
  digest <- digest::hmac(key, charToRaw(enc2utf8(signed)), algo = "sha256", raw = TRUE)
  expected <- paste0("v1,", gsub("\n", "", jsonlite::base64_enc(digest)))
  recent <- abs(as.numeric(Sys.time()) - as.numeric(headers[["webhook-timestamp"]])) <= tolerance_s
  recent && expected %in% strsplit(headers[["webhook-signature"]], " ")[[1]]
}
