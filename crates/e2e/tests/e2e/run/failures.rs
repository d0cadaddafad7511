//! Servers that misbehave: each way has its own name in the report, and nothing is lost from the accounts.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use warwolf_e2e::peer::{Peer, drain, read_head};
use warwolf_e2e::process::{Ending, Process};
use warwolf_e2e::server::Nginx;
use warwolf_e2e::{Told, Warwolf, target};
use warwolf_target::{Handle, Options};

fn target() -> Handle {
    target::start(Options::default())
}

/// Twenty calls of two users to a server of which none succeeds; all must have ended as `outcome`.
fn all_fail(url: &str, outcome: &str) -> Told {
    let told = Warwolf::run(&["-n", "20", "-c", "2", "--timeout", "5s", url]).exits(1);
    assert_eq!((told.account("failed"), told.outcome(outcome)), (20, 20), "{outcome}: {told:#?}");
    told
}

#[test]
fn a_reset_instead_of_a_reply() {
    all_fail(&target::url(&target(), "/?fault=reset"), "reset");
}

#[test]
fn a_reset_in_the_middle_of_a_body() {
    all_fail(&target::url(&target(), "/?size=100k&fault=reset-body"), "reset");
}

#[test]
fn a_reset_during_an_upload_is_a_reset() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("body");
    std::fs::write(&file, vec![b'x'; 4_000_000]).unwrap();
    let peer = Peer::start(|_, mut connection| {
        read_head(&mut connection);
        // To close a socket with unread bytes resets the connection.
        let _ = connection.read(&mut [0; 1_000]);
    });
    let body = format!("@{}", file.display());
    for driver in ["uring", "epoll"] {
        let words = ["-n", "40", "-c", "2", "--driver", driver, "-b", &body, &peer.url("/")];
        let told = Warwolf::run(&words).exits(1);
        assert_eq!((told.account("failed"), told.outcome("reset")), (40, 40), "{driver}: {told:#?}");
    }
}

#[test]
fn a_close_instead_of_a_reply() {
    all_fail(&target::url(&target(), "/?fault=close"), "closed");
    let peer = Peer::start(|_, mut connection| {
        read_head(&mut connection);
    });
    all_fail(&peer.url("/"), "closed");
}

#[test]
fn a_close_in_the_middle_of_a_reply() {
    all_fail(&target::url(&target(), "/?fault=short-head"), "closed_mid_reply");
    all_fail(&target::url(&target(), "/?size=10k&fault=short"), "closed_mid_reply");
    let peer =
        Peer::replying_once(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n5\r\nab");
    all_fail(&peer.url("/"), "closed_mid_reply");
}

#[test]
fn what_is_no_http_is_a_violation_by_kind() {
    let cases: [(&str, &[u8]); 6] = [
        ("violation_bad_status_line", b"SSH-2.0-OpenSSH_9.2p1\r\n\r\n"),
        ("violation_bad_status_line", b"HTTP/1.1 twohundred OK\r\n\r\n"),
        ("violation_bad_header", b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"),
        ("violation_bad_content_length", b"HTTP/1.1 200 OK\r\nContent-Length: 12x\r\n\r\n"),
        (
            "violation_conflicting_lengths",
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        ),
        ("violation_bad_chunk_size", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
    ];
    for (kind, reply) in cases {
        all_fail(&Peer::replying(reply).url("/"), kind);
    }
}

#[test]
fn a_head_without_end_is_cut_off() {
    let told = all_fail(&target::url(&target(), "/?fault=longhead"), "violation_head_too_long");
    assert_eq!(told.completed(), 0);
}

#[test]
fn a_silent_server_times_out_at_the_deadline() {
    let peer = Peer::start(|_, mut connection| drain(&mut connection));
    let began = Instant::now();
    let told = Warwolf::run(&["-n", "4", "-c", "2", "--timeout", "500ms", &peer.url("/")]).exits(1);
    assert_eq!((told.account("timed_out"), told.account("failed")), (4, 0), "{told:#?}");
    assert!(began.elapsed() < Duration::from_secs(10));
    let shortest = told.nanoseconds("service", "min");
    assert!(
        (490_000_000..2_000_000_000).contains(&shortest),
        "a timeout lasts as long as its deadline: {told:#?}"
    );
}

#[test]
fn a_byte_a_second_times_out_too() {
    let target = target();
    let url = target::url(&target, "/?size=1000&slow=1/s");
    let told = Warwolf::run(&["-n", "4", "-c", "2", "--timeout", "2500ms", &url]).exits(1);
    assert_eq!(told.account("timed_out"), 4, "{told:#?}");
}

#[test]
fn a_byte_at_a_time_is_still_a_reply() {
    let peer = Peer::start(|_, mut connection: TcpStream| {
        let _ = connection.set_nodelay(true);
        while read_head(&mut connection).is_some() {
            for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello" {
                if connection.write_all(&[*byte]).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    });
    let told = Warwolf::run(&["-n", "10", "-c", "2", &peer.url("/")]).all_well(10);
    assert_eq!(told.number("/bytes/body"), 50);
}

#[test]
fn calls_in_flight_at_the_end_are_unfinished() {
    let peer = Peer::start(|_, mut connection| drain(&mut connection));
    let told = Warwolf::run(&["-d", "1s", "-c", "3", &peer.url("/")]).exits(1);
    assert_eq!((told.account("started"), told.account("unfinished")), (3, 3), "{told:#?}");
}

#[test]
fn arrivals_that_found_no_slot_are_unstarted() {
    let peer = Peer::start(|_, mut connection| drain(&mut connection));
    let told = Warwolf::run(&["-r", "100/s", "-d", "1s", "-c", "5", &peer.url("/")]).exits(1);
    assert_eq!((told.account("planned"), told.account("started")), (100, 5), "{told:#?}");
}

#[test]
fn a_pipelined_call_behind_a_failed_one_is_not_lost() {
    let target = target();
    let url = target::url(&target, "/?fault=garbage:0.2");
    let told = Warwolf::run(&["-n", "400", "-c", "2", "--pipeline", "8", &url]);
    assert_eq!(told.account("planned"), 400, "{told:#?}");
    assert!(told.completed() > 0 && told.account("failed") > 0, "{told:#?}");
}

#[test]
fn now_and_then_a_fault_and_the_rest_well() {
    let target = target();
    let url = target::url(&target, "/?fault=reset:0.05,short:0.05");
    let told = Warwolf::run(&["-n", "1000", "-c", "10", &url]).exits(0);
    let failed = told.account("failed");
    assert!((40..=200).contains(&failed), "{told:#?}");
    assert_eq!(told.completed(), 1000 - failed);
}

#[test]
fn a_server_that_closes_after_every_reply_without_saying_so_costs_no_call() {
    let peer = Peer::replying_once(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let told = Warwolf::run(&["-n", "100", "-c", "2", &peer.url("/")]).exits(0);
    assert_eq!((told.completed(), told.account("failed")), (100, 0), "{told:#?}");
    assert!(peer.accepted() >= 100);
}

#[test]
fn a_promise_not_kept_is_exit_99() {
    let server = Nginx::start("");
    let words = ["-n", "1000", "-c", "2", "--slo", "p99<1ns", &server.url("/small")];
    Warwolf::run(&words).exits(99);
    let words = ["-n", "1000", "-c", "2", "--slo", "p99<30s", "--slo", "errors<1%", &server.url("/small")];
    Warwolf::run(&words).exits(0);
}

/// A run of three seconds that is interrupted: its exit code, and how long it lasted.
fn interrupted(program: Warwolf, by: Ending) -> (i32, Duration) {
    let server = target();
    let running = program.and(&["-r", "20/s", "-d", "3s", &target::url(&server, "/")]).start();
    let began = Instant::now();
    while server.log().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(20), "nothing is sent");
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal(by);
    let told = running.told();
    (told.code, began.elapsed())
}

#[test]
fn an_interrupt_ends_a_run_early() {
    for by in [Ending::Interrupt, Ending::Hangup] {
        let (code, lasted) = interrupted(Warwolf::new(&["run", "--quiet"]), by);
        assert!(code == 130 && lasted < Duration::from_secs(3), "{by:?}: {code} after {lasted:?}");
    }
}

/// As `nohup` and background jobs of a shell have it.
#[test]
fn an_ignored_interrupt_stays_ignored() {
    for words in [&["run", "--quiet"][..], &["siege", "-c1", "-t3S"]] {
        let program = Warwolf::new(words).ignoring("INT");
        if words[0] == "run" {
            let (code, lasted) = interrupted(program, Ending::Interrupt);
            assert!(code == 0 && lasted >= Duration::from_millis(2_900), "{code} after {lasted:?}");
            continue;
        }
        let server = target();
        let began = Instant::now();
        let running = program.and(&[target::url(&server, "/?delay=50ms")]).start();
        while server.log().is_empty() {
            assert!(began.elapsed() < Duration::from_secs(20), "nothing is sent");
            std::thread::sleep(Duration::from_millis(20));
        }
        running.signal(Ending::Interrupt);
        let told = running.told();
        assert!(told.code == 0 && began.elapsed() >= Duration::from_millis(2_900), "{told:#?}");
    }
}

/// Stops one thread of another process, as a debugger does, until the process ends.
const STOP_THREAD: &str = "
import ctypes, os, sys
thread = int(sys.argv[1])
assert ctypes.CDLL(None).ptrace(16, thread, 0, 0) == 0
while not os.WIFEXITED(os.waitpid(thread, 0x40000000)[1]):
    pass
";

#[test]
fn a_worker_without_a_core_does_not_hold_up_the_report() {
    let server = target();
    let words = ["run", "--format", "json", "--quiet", "--threads", "2", "-c", "4", "-d", "8s"];
    let running = Warwolf::new(&words).and(&[target::url(&server, "/?delay=10ms")]).start();
    let began = Instant::now();
    let worker = loop {
        assert!(began.elapsed() < Duration::from_secs(20), "there is no second worker");
        let threads =
            std::fs::read_dir(format!("/proc/{}/task", running.id())).into_iter().flatten().flatten();
        let is_worker = |path: &std::path::PathBuf| {
            std::fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "worker-1")
        };
        if let Some(path) = threads.map(|entry| entry.path()).find(is_worker) {
            break path.file_name().unwrap().to_str().unwrap().to_owned();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let _stopper = Process::start("python3", |command| {
        command.args(["-c", STOP_THREAD, &worker]);
    });
    let told = running.told();
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    assert_eq!((told.code, told.verdict()), (0, "INVALID"), "{told:#?}");
    assert!(told.completed() > 0 && told.stdout.contains("worker 1 got no core"), "{told:#?}");
}
