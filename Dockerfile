# The digest says which bytes; the tag is for people. `docker buildx imagetools inspect python:TAG` prints a newer one.
ARG PYTHON_IMAGE=python:3.13.9-slim-trixie@sha256:326df678c20c78d465db501563f3492d17c42a4afe33a1f2bf5406a1d56b0e86

FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE alembic.ini ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY app app
COPY attune_studies attune_studies
COPY templates templates
COPY static static
COPY docs docs
COPY migrations migrations
RUN /venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation .
# What only building needs stays out of the image that runs.
RUN /venv/bin/pip uninstall --yes editables hatchling pathspec pluggy tomlkit trove-classifiers pip

FROM ${PYTHON_IMAGE}
RUN python -m pip uninstall --yes pip && rm -r /usr/local/lib/python3.*/ensurepip
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/attune attune
COPY --from=build /venv /venv
USER attune
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 ATTUNE_DATA_DIR=/var/lib/attune
VOLUME /var/lib/attune
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=12 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8000/readyz', timeout=3)"]
CMD ["attune", "serve", "--host", "0.0.0.0", "--port", "8000", "--workers", "2"]
