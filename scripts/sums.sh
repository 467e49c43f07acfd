#!/usr/bin/env bash
# Prints the hashes of the tarballs in a folder as one line, an output of a job: bash scripts/sums.sh FOLDER
set -euo pipefail
cd "$1"
export LC_ALL=C
printf 'sums=%s\n' "$(sha256sum -- *.tgz | tr '\n' ';')"
