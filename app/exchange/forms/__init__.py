"""Forms for the study protocol, made from the types of its models: one mechanism for every part."""
