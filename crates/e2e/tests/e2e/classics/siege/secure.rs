//! TLS: what `timeout` is not a limit of, and what `ssl-timeout` is.

use super::{Home, masked};
use std::io::copy;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;
use warwolf_e2e::certificate::{Authority, Validity};
use warwolf_e2e::peer::{Peer, drain};
use warwolf_e2e::server::Nginx;

/// Takes connections at once, and passes their bytes on only after this long.
fn slow_to(port: u16, pause: Duration) -> Peer {
    Peer::start(move |_, mut client| {
        std::thread::sleep(pause);
        let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)) else { return };
        let (Ok(mut from_client), Ok(mut to_server)) = (client.try_clone(), server.try_clone()) else {
            return;
        };
        let upstream = std::thread::spawn(move || {
            let _ = copy(&mut from_client, &mut to_server);
            let _ = to_server.shutdown(Shutdown::Write);
        });
        let _ = copy(&mut server, &mut client);
        let _ = client.shutdown(Shutdown::Both);
        let _ = upstream.join();
    })
}

#[test]
fn a_slow_handshake_is_none_of_timeouts_business() {
    let pair = Authority::new().issue("localhost", Validity::Now);
    let server = Nginx::start_tls(&pair.certificate, &pair.key, "");
    let slow = slow_to(server.port(), Duration::from_millis(1_500));
    let home = Home::new("timeout = 1\n", &[]);
    let url = format!("https://{}/page", slow.address());
    let words = ["-c1", "-r1", &url];
    let (theirs, ours) = (home.theirs(&words), home.ours(&words));
    assert_eq!(masked(&ours.stdout), masked(&theirs.stdout), "{theirs:#?} {ours:#?}");
    assert!(ours.stderr.contains("Transactions:\t\t           1 hits"), "{ours:#?}");
}

#[test]
fn a_handshake_that_never_comes_ends_by_ssl_timeout() {
    // The original waits for ever.
    let mute = Peer::start(|_, mut connection| drain(&mut connection));
    let home = Home::new("timeout = 20\nssl-timeout = 1\n", &[]);
    let said = home.ours(&["-c1", "-r2", &format!("https://{}/", mute.address())]);
    let notice = "[\u{1b}[1;33merror\u{1b}[0m] Failed to make an SSL connection: Connection timed out\n";
    assert_eq!(said.stderr.matches(notice).count(), 2, "{said:#?}");
    assert!(said.stderr.contains("Failed transactions:\t           2\n"), "{said:#?}");
    let elapsed = said.stderr.split_once("Elapsed time:\t\t").expect("the label").1;
    let elapsed: f64 = elapsed.split_whitespace().next().expect("a figure").parse().expect("a number");
    assert!((2.0..4.0).contains(&elapsed), "twice a second: {said:#?}");
}
