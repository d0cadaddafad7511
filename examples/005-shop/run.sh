#!/usr/bin/env bash
# Sessions with several steps against a small shop: see ../README.md. SECONDS_EACH changes the length.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
warwolf=${WARWOLF:-warwolf}
seconds=${SECONDS_EACH:-5s}
out=${OUT:-$here/out}
mkdir -p "$out"

python3 "$here/server.py" 0 >"$out/url" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 50); do
    [ -s "$out/url" ] && break
    sleep 0.1
done
url=$(cat "$out/url")

cd "$here"
"$warwolf" check --quiet shop.toml "$url"
"$warwolf" run shop.toml "$url" -d "$seconds" -o "$out/shop.html"
"$warwolf" run report.toml "$url" -d "$seconds" -o "$out/report.html"
"$warwolf" run shop.hurl --variable "host=$url" -c 10 -d "$seconds" -o "$out/hurl.html"
