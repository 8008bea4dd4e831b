"""The study protocol: what a study is made of, as study.yaml says it."""
