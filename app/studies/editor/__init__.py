"""Forms for editing the study protocol, generated from the types of its models."""
