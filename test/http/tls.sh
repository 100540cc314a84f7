#!/bin/sh
# tls.sh PROGRAM - reads over TLS and HTTP/2, from nginx: one connection serves all requests, also of
# later calls; servers without a certificate that is trusted are refused. Skipped without nginx.

program=$1
PATH=$PATH:/usr/sbin
for tool in nginx openssl; do
    command -v $tool >/dev/null || {
        echo "there is no $tool"
        exit 77
    }
done
nginx -V 2>&1 | grep -q http_v2 || exit 77

tmp=$(mktemp -d) || exit 1
pid=
trap 'kill $pid 2>/dev/null; wait; rm -rf "$tmp"' EXIT
mkdir "$tmp/www"
chmod 755 "$tmp" # the workers of nginx are of another user
head -c 300000 /dev/urandom >"$tmp/www/o"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$tmp/key" -out "$tmp/cert" -days 2 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null || exit 77

started() { # on a port that is free
    for port in 28443 29443 30443 31443; do
        cat >"$tmp/conf" <<CONF
daemon off;
pid $tmp/pid;
error_log $tmp/error;
events {}
http {
    log_format short '\$connection \$server_protocol \$status';
    access_log $tmp/access short;
    client_body_temp_path $tmp/body; proxy_temp_path $tmp/proxy; fastcgi_temp_path $tmp/fast;
    uwsgi_temp_path $tmp/uwsgi; scgi_temp_path $tmp/scgi;
    server {
        listen 127.0.0.1:$port ssl http2;
        ssl_certificate $tmp/cert;
        ssl_certificate_key $tmp/key;
        root $tmp/www;
    }
}
CONF
        nginx -e "$tmp/error" -c "$tmp/conf" 2>/dev/null &
        pid=$!
        sleep 1
        kill -0 $pid 2>/dev/null && [ -s "$tmp/pid" ] && return
    done
    return 1
}
started || {
    cat "$tmp/error"
    exit 77
}

"$program" "https://localhost:$port/o" "$tmp/cert" "$tmp/www/o" || exit 1
sort "$tmp/access" | uniq -c >"$tmp/counts"
if [ "$(wc -l <"$tmp/counts")" -ne 1 ] || ! grep -q 'HTTP/2.0 206' "$tmp/counts"; then
    echo "connections, protocols and statuses:"
    cat "$tmp/counts"
    exit 1
fi
for wrong in "https://localhost:$port/o:" "https://127.0.0.1:$port/o:$tmp/cert"; do
    said=$("$program" "${wrong%:*}" "${wrong##*:}" "$tmp/www/o") && exit 1
    case $said in
    *certificate*) ;;
    *)
        echo "not about a certificate: $said"
        exit 1
        ;;
    esac
done
exit 0
