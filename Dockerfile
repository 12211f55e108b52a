# The table in the browser as a container.  This file was never built: where it was written no container daemon ran.
# What it runs, container/build.sh, was tried in a plain folder.
ARG PYTHON=3.11

FROM python:${PYTHON}-slim AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
COPY container/build.sh container/
# The names of the games to compile; all of them by default, which takes several minutes.
ARG GAMES=""
RUN container/build.sh /opt/bolicho ${GAMES}

# The same Python as above: what is compiled is named by its version, too.
FROM python:${PYTHON}-slim
RUN useradd --create-home --uid 1000 bolicho && install --directory --owner=bolicho /data
# Owned by the user, since the compile cache notes when each file was last used.
COPY --from=build --chown=bolicho /opt/bolicho /opt/bolicho
ENV PATH=/opt/bolicho/bin:$PATH \
    NUMBA_CPU_NAME=generic \
    NUMBA_CACHE_DIR=/opt/bolicho/compiled \
    PYTHONUNBUFFERED=1
USER bolicho
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=10m --interval=30s --timeout=10s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/api/games', timeout=5)"]
ENTRYPOINT ["bolicho"]
CMD ["serve", "--host", "0.0.0.0"]
