#!/usr/bin/env python3
"""A simple fill-out form, as a CGI program and as a FastCGI server that stays: the same page, with and without a new
process for every request. With a port as its argument it is the FastCGI server."""
import os, socket, struct, sys, threading, urllib.parse


def page(query):
    name = dict(urllib.parse.parse_qsl(query)).get("name", "stranger")
    rows = "".join(f"<option>{n}</option>" for n in ("red", "green", "blue", "chartreuse"))
    return ("Content-Type: text/html\r\n\r\n<html><head><title>A Simple Example</title></head><body><h1>Hello, "
            f"{name}</h1><form>What is your name? <input name=name><br>Your favorite color? <select name=color>{rows}"
            "</select><input type=submit></form></body></html>\n").encode()


# FastCGI 1.0, as much of it as a responder needs: records of type BEGIN 1, END 3, PARAMS 4, STDIN 5, STDOUT 6.
def record(kind, number, content):
    return struct.pack("!BBHHBx", 1, kind, number, len(content), 0) + content


def pairs(data):
    place = 0
    def length():
        nonlocal place
        size = data[place]
        if size > 127:
            size = struct.unpack_from("!I", data, place)[0] & 0x7fffffff
            place += 3
        place += 1
        return size
    while place < len(data):
        name, value = length(), length()
        yield data[place:place + name].decode(), data[place + name:place + name + value].decode()
        place += name + value


def serve(connection):
    stream = connection.makefile("rb")
    params, keep = b"", False
    while head := stream.read(8):
        _, kind, number, size, padding = struct.unpack("!BBHHBx", head)
        content = stream.read(size)
        stream.read(padding)
        if kind == 1:
            params, keep = b"", bool(content[2] & 1)
        elif kind == 4:
            params += content
        elif kind == 5 and size == 0:
            body = page(dict(pairs(params)).get("QUERY_STRING", ""))
            connection.sendall(record(6, number, body) + record(6, number, b"") + record(3, number, bytes(8)))
            if not keep:
                break
    connection.close()


if len(sys.argv) > 1:
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=512)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
else:
    sys.stdout.buffer.write(page(os.environ.get("QUERY_STRING", "")))
