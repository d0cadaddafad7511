//! What a machine cannot give is counted where the original would, and said with what to do about it.

use warwolf_e2e::process::command;
use warwolf_e2e::warwolf::program;
use warwolf_e2e::{Warwolf, target};
use warwolf_target::Options;

use super::words;

/// The number behind a label.
fn figure(text: &str, label: &str) -> u32 {
    let rest = text.split_once(label).unwrap_or_else(|| panic!("no `{label}` in {text}")).1;
    rest.split([' ', '\n']).next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn descriptors_that_run_out_are_counted_and_named() {
    let server = target::start(Options::default());
    let words = words(server.addr().port(), "--uri /?delay=1s --num-conns 60 --rate 500 --timeout 5");
    let told = Warwolf::new(&["httperf"]).and(&words).with_descriptors(160).told().exits(0);
    let missing = figure(&told.stdout, "fd-unavail ");
    assert!(missing > 0, "{told:#?}");
    assert_eq!(figure(&told.stdout, "Total: connections ") + missing, 60, "{told:#?}");
    assert_eq!(figure(&told.stdout, "Errors: total "), missing, "{told:#?}");
    let said = format!("httperf: {missing} connections found no descriptor: raise the limit (ulimit -n)\n");
    assert_eq!(told.stderr, said);
}

/// A network of its own that has four ports, and in it a server and the program.
const FOUR_PORTS: &str = r#"ip link set lo up && echo "20000 20003" > /proc/sys/net/ipv4/ip_local_port_range || exit 9
"$0" target --listen 127.0.0.1:8080 >/dev/null 2>&1 & server=$!
for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  ss -ltn | grep -q :8080 && break
  sleep 0.1
done
"$0" httperf --server 127.0.0.1 --port 8080 --num-conns 10 --rate 200 --uri '/?delay=1s' --timeout 5
kill $server"#;

#[test]
fn ports_that_run_out_are_counted_and_named() {
    let output = command("timeout")
        .args(["60", "unshare", "--net", "--map-root-user", "sh", "-c", FOUR_PORTS])
        .arg(program())
        .output()
        .expect("a network of our own");
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{stdout}{stderr}");
    assert_eq!((figure(&stdout, "replies "), figure(&stdout, "addrunavail ")), (4, 6), "{stdout}{stderr}");
    let said = "httperf: 6 connections found no local port: use more source addresses (--myaddr), fewer connections, or \
                --close-with-reset\n";
    assert_eq!(stderr, said);
}
