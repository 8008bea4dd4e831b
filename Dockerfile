FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE alembic.ini ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY app app
COPY templates templates
COPY static static
COPY migrations migrations
RUN /venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim
RUN useradd --system --create-home --home-dir /var/lib/attune attune
COPY --from=build /venv /venv
USER attune
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 ATTUNE_DATA_DIR=/var/lib/attune
EXPOSE 8000
CMD ["attune", "serve", "--host", "0.0.0.0", "--port", "8000", "--workers", "2"]
