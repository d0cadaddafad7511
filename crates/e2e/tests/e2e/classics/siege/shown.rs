//! What `-g`, `-p` and `-D` show.

use super::{Home, Scripted, beside};

#[test]
fn heads_and_bodies_are_shown_alike() {
    let server = Scripted::start();
    for words in [
        "-g http://@/ok",
        "-g -v http://@/page",
        "-g http://@/r301",
        "-g http://@/digest",
        "-q -g http://@/s404",
        "-j -g http://@/ok",
        "-g -c5 -r3 -t1S http://@/ok",
        "-g http://@/ok~POST~a=b",
        "-g http://127.0.0.1:CLOSED/",
        "-g gopher://@/",
        "-p http://@/ok",
        "-p http://@/zipped",
        "-p http://@/r302",
        "-p http://@/s500",
        "-p http://@/close",
        "-p -q http://@/ok",
        "-p http://@/ok~POST~a=b",
        "-p gopher://@/",
        "-D -c1 -r2 http://@/ok",
        "-D -c1 -r1 http://@/r302",
        "-D -g http://@/ok",
        "-D -q -c1 -r1 http://@/ok",
        "-D -v -c1 -r1 http://@/s500",
        "-D -c1 -r1 http://@/setck",
        "-D -c1 -r1 http://127.0.0.1:CLOSED/",
        "-D -c1 -r1 gopher://@/",
        "-D -c1 -r1 http://@/ok~POST~a=b",
    ] {
        beside(&server, "gmethod = HEAD\n", words);
    }
    beside(&server, "gmethod = GET\n", "-p -g http://@/ok");
    beside(&server, "gmethod = GET\nparser = true\n", "-g http://@/onward");
    beside(&server, "parser = true\n", "-p http://@/page");
    beside(&server, "parser = true\n", "-D -c1 -r1 http://@/page");
    beside(&server, "", "-g http://@/ok");
    beside(&server, "debug = true\n", "-c1 -r1 http://@/ok");
    beside(&server, "connection = keep-alive\n", "-D -c1 -r2 http://@/ok");
}

#[test]
fn what_is_no_text_is_shown_whole() {
    let server = Scripted::start();
    let home = Home::new("", &[]);
    // The original shows a body up to its first zero byte.
    let said = home.ours(&["-p", "-q", &server.url("/zero")]);
    assert_eq!(said.stdout, "before\0after\n");
}
