#!/usr/bin/env python3
"""A small shop for the example: login, items, a cart, a checkout, and a report that takes a while to be made.

Usage: server.py PORT   (0: any free port; the URL is printed)
"""

import itertools
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

USERS = {"ann": "apple", "bob": "banana", "cho": "cherry"}
READY_AFTER = 0.05

lock = threading.Lock()
numbers = itertools.count(1)
carts = {}
reports = {}


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536

    def log_message(self, *_):
        pass

    def answer(self, status, value, **fields):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, field in fields.items():
            self.send_header(name.replace("_", "-"), field)
        self.end_headers()
        self.wfile.write(body)

    def cart(self):
        """The cart of the token in the request; answers 401 without one."""
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        with lock:
            found = carts.get(token)
        if found is None:
            self.answer(401, {"error": "log in first"})
        return found

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if self.path == "/login":
            form = {name: values[0] for name, values in parse_qs(body).items()}
            if form.get("user") not in USERS or USERS[form["user"]] != form.get("password"):
                return self.answer(403, {"error": "wrong name or password"})
            token = f"{form['user']}-{next(numbers)}"
            with lock:
                carts[token] = []
            return self.answer(200, {"ok": True, "token": token}, Set_Cookie="seen=1; Path=/")
        if self.path == "/reports":
            number = next(numbers)
            with lock:
                reports[number] = time.monotonic() + READY_AFTER
            return self.answer(202, {"id": number}, Location=f"/reports/{number}")
        cart = self.cart()
        if cart is None:
            return None
        if self.path == "/cart":
            item = json.loads(body)["item"]
            cart.append(item)
            return self.answer(201, {"items": cart[:]})
        if self.path == "/checkout":
            return self.answer(200, {"ok": True, "paid": len(cart)})
        return self.answer(404, {"error": "no such page"})

    def do_GET(self):
        path = urlsplit(self.path).path
        if path.startswith("/item/"):
            number = int(path.rsplit("/", 1)[1])
            return self.answer(200, {"id": number, "price": number % 90 + 10, "name": f"item {number}"})
        if path.startswith("/reports/"):
            with lock:
                due = reports.get(int(path.rsplit("/", 1)[1]))
            if due is None:
                return self.answer(404, {"error": "no such report"})
            return self.answer(200, {"state": "done" if time.monotonic() >= due else "busy"})
        return self.answer(404, {"error": "no such page"})


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8080), Shop)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
