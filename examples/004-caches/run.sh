#!/usr/bin/env bash
# Five caches in front of a slow origin × 10, 100, 500 and 1000 clients × a page of 6 KB, one of 75 KB, and 50,000 logged URLs, as in a
# comparison of Squid and Varnish of 2011. Caches that are not installed are skipped with a message.
. "$(dirname "$0")/../common.sh"
need python3 nginx
seconds=${SECONDS_EACH:-1s}
clients=${CLIENTS:-10,100,500,1000}
requests=${REQUESTS:-50000}

origin=$(port)
serve "$warwolf" target --listen "127.0.0.1:$origin" --delay 20ms --header 'Cache-Control:public, max-age=3600' \
  --header "Date:$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')" # without a date Squid asks again
ready "$origin"
targets=()
add() { ready "$2"; targets+=("$1:http://127.0.0.1:$2/"); }

nginx=$(port)
cat > "$work/nginx.conf" <<NGINX
daemon off; pid $work/nginx.pid; error_log $work/error.log; worker_processes 1; worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000;
  $(nginx_alone)
  proxy_cache_path $work/nginx-cache keys_zone=all:20m max_size=2g;
  upstream origin { server 127.0.0.1:$origin; keepalive 64; }
  server { listen 127.0.0.1:$nginx backlog=4096; location / {
    proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_cache all; proxy_cache_lock on; } }
}
NGINX
serve nginx -c "$work/nginx.conf"; add nginx "$nginx"

if command -v apache2 >/dev/null; then
  apache=$(port); mkdir "$work/apache-cache"; chmod 777 "$work/apache-cache"
  cat > "$work/apache.conf" <<APACHE
$(apache_alone "$apache" mpm_event authz_core proxy proxy_http cache cache_disk)
ListenBacklog 4096
ServerLimit 16
ThreadsPerChild 64
MaxRequestWorkers 1024
AsyncRequestWorkerFactor 4
CacheQuickHandler on
CacheRoot $work/apache-cache
CacheEnable disk /
CacheLock on
CacheLockPath $work/apache-cache/lock
ProxyPass / http://127.0.0.1:$origin/
APACHE
  serve apache2 -f "$work/apache.conf" -DFOREGROUND; add Apache "$apache"
else echo "example: no Apache here, left out" >&2; fi

if command -v varnishd >/dev/null; then
  varnish=$(port); mkdir "$work/varnish"
  serve varnishd -F -n "$work/varnish" -a "127.0.0.1:$varnish" -b "127.0.0.1:$origin" -s malloc,512m -p thread_pool_max=500 -p listen_depth=4096
  add Varnish "$varnish"
else echo "example: no Varnish here, left out" >&2; fi

if command -v squid >/dev/null; then
  squid=$(port); mkdir "$work/squid"; chmod 777 "$work/squid"
  cat > "$work/squid.conf" <<SQUID
http_port 127.0.0.1:$squid accel defaultsite=site.test no-vhost
cache_peer 127.0.0.1 parent $origin 0 no-query originserver
http_access allow all
cache_mem 512 MB
maximum_object_size_in_memory 512 KB
max_filedescriptors 8192
access_log none
cache_log $work/squid/cache.log
coredump_dir $work/squid
pid_filename none
shutdown_lifetime 0 seconds
pinger_enable off
refresh_pattern . 60 100% 1440
SQUID
  serve squid --foreground -f "$work/squid.conf"; add Squid "$squid"
else echo "example: no Squid here, left out" >&2; fi

if command -v haproxy >/dev/null; then
  haproxy=$(port)
  cat > "$work/haproxy.cfg" <<HAPROXY
global
  maxconn 4000
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 5s
cache all
  total-max-size 512
  max-object-size 400000
  max-age 3600
frontend front
  bind 127.0.0.1:$haproxy backlog 4096
  default_backend origin
backend origin
  http-request cache-use all
  http-response cache-store all
  server origin 127.0.0.1:$origin
HAPROXY
  serve haproxy -db -f "$work/haproxy.cfg"; add HAProxy "$haproxy"
else echo "example: no HAProxy here, left out" >&2; fi

all=$(IFS=,; echo "${targets[*]}")
echo "http://site.test/about/map.html?size=6221" > "$work/small.txt"
echo "http://site.test/c7/page.html?size=75356" > "$work/page.txt"
python3 "$here/make_urls.py" "$requests" 10000 > "$work/logged.txt"
for urls in small page logged; do
  echo "== $urls"
  # Every cache is filled first: else the first point asks the origin, and the later ones find what it has fetched.
  "$warwolf" sweep --quiet -c 100 -n "$(wc -l < "$work/$urls.txt")" --urls "$work/$urls.txt" --vary "target=$all" >/dev/null
  "$warwolf" sweep -d "$seconds" --warmup 200ms --rest 200ms --repeats "${REPEATS:-3}" --urls "$work/$urls.txt" --vary "target=$all" --vary "connections=$clients" \
    --chart rate -o "$out/004-$urls.html" -o "$out/004-$urls.svg" -o "$out/004-$urls.csv" -o "$out/004-$urls.md"
done
echo "plots: $out/004-{small,page,logged}.html and .svg"
