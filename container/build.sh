#!/bin/sh
# Install bolicho with the table in the browser into a folder of its own, and compile games for any processor of this
# architecture.  The Dockerfile calls it; it works in a plain folder, too:
#
#     container/build.sh /tmp/try truco        # only this game is compiled; all of them without a name
#     . /tmp/try/environment && /tmp/try/bin/bolicho serve
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
place=$1
shift

"${PYTHON:-python3}" -m venv "$place"
"$place/bin/python" -m pip --disable-pip-version-check --quiet install --constraint "$here/constraints.txt" "$here[web]"

# Compiled code is named by the processor it is for: the same two variables have to be set when it is used.
cat > "$place/environment" <<END
export NUMBA_CPU_NAME=generic
export NUMBA_CACHE_DIR=$place/compiled
END
. "$place/environment"
"$place/bin/bolicho" warm "$@"
