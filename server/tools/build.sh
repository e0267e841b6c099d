#!/usr/bin/env bash
# Build wheel and sdist into server/dist with nothing but the build backend. The dashboard's page goes in as it is;
# one that is older than its sources is built again first. Called by `make wheel`.
set -euo pipefail
python=$1 uv=$2 node=$3
cd "$(dirname "$0")/.."
page=src/anamnesis/dashboard/static/index.html
sources=(../dashboard/app ../dashboard/components ../dashboard/features ../dashboard/lib)

if [ ! -f "$page" ]; then
  echo "left out: the dashboard's page (\`make dashboard wheel\` builds it; needs Node 20.19 or newer)" >&2
elif [ -n "$(find "${sources[@]}" -type f -newer "$page" -print -quit)" ]; then
  if [ -n "$node" ]; then
    make --no-print-directory -C .. dashboard
  else
    echo "the dashboard's page is older than its sources, and there is no Node to build it" >&2
  fi
fi

rm -rf dist
if [ -n "$uv" ]; then
  "$uv" build --quiet --out-dir dist .
else
  venv=build/backend
  [ -x "$venv/bin/hatchling" ] || {
    "$python" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check 'hatchling>=1.27'
  }
  "$venv/bin/hatchling" build -d dist >/dev/null 2>&1
fi
rm -f dist/.gitignore
ls dist
