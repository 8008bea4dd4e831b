"""An R script that reads ratings.csv, with the words of each scale as factor labels."""

from app.analysis.model_code.r_literals import literal, vector
from app.analysis.model_code.words import line_of
from app.protocol.study import Protocol

HEAD = """\
# Reads the answers of "{title}". Put {slug}-ratings.csv beside this script, or change its path.
ratings <- read.csv("{slug}-ratings.csv", fileEncoding = "UTF-8", na.strings = "", colClasses = c(value = "character"))

# Answers that count: those of people, without excluded ones and planned repeats. Before people have rated, set
# people_only to FALSE to rehearse the analysis with simulated ratings.
people_only <- TRUE
counted <- ratings
if (people_only) counted <- counted[counted$rater_kind == "person" & !as.logical(counted$is_simulated), ]
if ("exclude" %in% names(counted)) counted <- counted[is.na(counted$exclude), ]
if ("repeat." %in% names(counted)) counted <- counted[counted$repeat. == 0, ]

# Times are UTC.
for (name in intersect(c("rated_at", "served_at"), names(counted))) {{
  counted[[name]] <- as.POSIXct(counted[[name]], format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC")
}}
{sources}
# One data frame per question.
answers <- split(counted, counted$question)
"""


def r_script(protocol: Protocol) -> str:
    """Return the script; it needs no package."""
    labels = {key: protocol.labels.source(key) for key in protocol.sources}
    sources = f"if (!is.null(counted$source)) counted$source <- {_factor('counted$source', labels)}\n"
    parts = [HEAD.format(title=line_of(protocol.title), slug=protocol.slug, sources=sources if labels else "")]
    for question in protocol.questions:
        meanings = {value: words for value, words in question.meanings() if value and words}
        parts.append(f"\n# {line_of(question.text)}")
        if meanings:
            here = f"answers[[{literal(question.key)}]]"
            parts.append(f"if (!is.null({here})) {here}$answer <- {_factor(f'{here}$value', meanings)}")
    return "\n".join(parts) + "\n"


def _factor(column: str, meanings: dict[str, str]) -> str:
    labels = vector(map(line_of, meanings.values()))
    return f"factor({column}, levels = {vector(meanings)}, labels = {labels})"
