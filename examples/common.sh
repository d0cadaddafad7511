# Common parts of the examples: output folder, free ports, starting and stopping servers.
set -euo pipefail
PATH="$PATH:/usr/sbin:/sbin"
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
warwolf=${WARWOLF:-warwolf}
out=${OUT:-$here/out}
mkdir -p "$out"
work=$(mktemp -d)
# Servers started as root switch to another user, who has to read the pages.
chmod 755 "$work"
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT

# Starts a server in the background, until the script ends. Each has its own process group, because Apache kills its whole group.
serve() { setsid "$@" >"$work/log" 2>&1 </dev/null & pids+=($!); }

need() {
  for program in "$@"; do
    command -v "$program" >/dev/null || { echo "example: \`$program\` is missing; install it from Debian's packages" >&2; exit 1; }
  done
}

# Prints a free loopback port.
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Waits until a server listens on a port.
ready() {
  for _ in $(seq 200); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
    sleep 0.05
  done
  echo "example: no server listens on port $1" >&2; cat "$work/log" >&2; exit 1
}

# Prints the directives of an nginx `http` block that put temporary files into the work folder.
nginx_alone() {
  for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $work/nginx-$kind;"; done
}

# Prints the start of an Apache configuration that is independent of the system's. Arguments: a port, then modules.
apache_alone() {
  printf '%s\n' "ServerName localhost" "Listen 127.0.0.1:$1" "PidFile $work/apache.pid" "ErrorLog $work/apache.log" \
    "DefaultRuntimeDir $work" "Mutex file:$work default" "MaxKeepAliveRequests 0"
  shift
  for module in "$@"; do echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"; done
  [ "$(id -u)" -ne 0 ] || printf 'User www-data\nGroup www-data\n'
}
