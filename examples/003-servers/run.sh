#!/usr/bin/env bash
# Response time for 1 to 75 clients with four kinds of server, as in figure 1 of "Torture-Testing Web Servers" (1999): a static page
# from Apache with preforked processes and from nginx, a form from a CGI program and from a persistent one (FastCGI; mod_perl in the
# original).
. "$(dirname "$0")/../common.sh"
need apache2 nginx python3
seconds=${SECONDS_EACH:-3s}
clients=${CLIENTS:-1,5,10,25,50,75}

apache=$(port); nginx=$(port); fast=$(port)
mkdir "$work/pages" "$work/cgi"
"$warwolf" --help | head -c 4000 > "$work/pages/index.html"
cp "$here/page.py" "$work/cgi/page.py"; chmod 755 "$work/cgi/page.py"
# The user that Apache switches to must be able to execute it.
sed -i "1s|.*|#!/usr/bin/python3|" "$work/cgi/page.py"
cat > "$work/apache.conf" <<APACHE
$(apache_alone "$apache" mpm_prefork authz_core alias cgi dir)
StartServers 10
MaxRequestWorkers 150
DocumentRoot $work/pages
DirectoryIndex index.html
ScriptAlias /cgi/ $work/cgi/
<Directory />
  Require all granted
</Directory>
APACHE
cat > "$work/nginx.conf" <<NGINX
daemon off; pid $work/nginx.pid; error_log $work/error.log; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000;
  $(nginx_alone)
  upstream page { server 127.0.0.1:$fast; keepalive 16; }
  server { listen 127.0.0.1:$nginx; root $work/pages;
    location /form { fastcgi_pass page; fastcgi_keep_conn on; fastcgi_param QUERY_STRING \$query_string; } }
}
NGINX
serve python3 "$here/page.py" "$fast"
serve apache2 -f "$work/apache.conf" -DFOREGROUND
serve nginx -c "$work/nginx.conf"
for p in $apache $nginx $fast; do ready "$p"; done

"$warwolf" sweep -d "$seconds" --grace 15s --rest 300ms --repeats "${REPEATS:-1}" \
  --vary "target=Apache static:http://127.0.0.1:$apache/,nginx static:http://127.0.0.1:$nginx/,CGI:http://127.0.0.1:$apache/cgi/page.py,FastCGI:http://127.0.0.1:$nginx/form" \
  --vary "connections=$clients" \
  -o "$out/003.html" -o "$out/003.svg" -o "$out/003.csv" -o "$out/003.md"
echo "plots: $out/003.html, $out/003.svg"
