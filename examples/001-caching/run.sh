#!/usr/bin/env bash
# What does a feature cost? One page in four configurations, 15 users each, as in "Practical Stress Testing with Siege" (2013):
# with typography, without, cached with revalidation, cached without.
. "$(dirname "$0")/../common.sh"
need nginx python3
seconds=${SECONDS_EACH:-3s}

# The page: two workers; a page takes 20 ms with typography, 12 ms without.
smart=$(port); plain=$(port)
serve "$warwolf" target --listen "127.0.0.1:$smart" --workers 2 --delay lognormal:20ms,0.3 --size 10k --header 'ETag:"1"'
serve "$warwolf" target --listen "127.0.0.1:$plain" --workers 2 --delay lognormal:12ms,0.3 --size 10k

checked=$(port); cached=$(port)
cat > "$work/nginx.conf" <<NGINX
daemon off; pid $work/pid; error_log $work/error.log; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  $(nginx_alone)
  proxy_cache_path $work/cache1 keys_zone=one:1m; proxy_cache_path $work/cache2 keys_zone=two:1m;
  proxy_http_version 1.1; proxy_set_header Connection "";
  # Stale after a second, then revalidated by one request at a time.
  server { listen 127.0.0.1:$checked; location / {
    proxy_pass http://127.0.0.1:$smart; proxy_cache one; proxy_cache_valid 200 1s; proxy_cache_revalidate on; proxy_cache_lock on; } }
  server { listen 127.0.0.1:$cached; location / {
    proxy_pass http://127.0.0.1:$smart; proxy_cache two; proxy_cache_valid 200 1h; proxy_cache_lock on; } }
}
NGINX
serve nginx -c "$work/nginx.conf"
for p in $smart $plain $checked $cached; do ready "$p"; done

"$warwolf" sweep -c 15 -d "$seconds" --rest 300ms --repeats 3 \
  --vary "target=typography:http://127.0.0.1:$smart/,plain:http://127.0.0.1:$plain/,cached-and-checked:http://127.0.0.1:$checked/,cached:http://127.0.0.1:$cached/" \
  -o "$out/001.html" -o "$out/001.svg" -o "$out/001.csv" -o "$out/001.md"
echo "plots: $out/001.html, $out/001.svg"
