#!/bin/bash
TOKEN='a b'
curl -sL --compressed 'https://a.test/x?y={{z}}' \
  -H "Authorization: Bearer $TOKEN" -H 'X-E;' -b 'a=1' | jq .
sleep 1.5
curl -XPOST -d $'a\n\x41\u00e9' --data-urlencode 'q=a b' --json '{}' http://u:p@a.test/{a,b}/[1-3] --next -T file http://b.test/ -k --resolve b.test:80:127.0.0.1
curl -F 'a=@f.txt;type=text/plain;filename="x y"' -F 'b=<c' http://$HOST/m > out 2>&1
