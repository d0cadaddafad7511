//! Running out of descriptors; a separate test binary, because it uses all of them.

use std::fs::File;
use std::net::TcpListener;
use std::time::Duration;

use warwolf_clock::Timestamp;
use warwolf_driver::{
    Address, Completion, Driver, Epoll, Idle, Monotonic, SocketError, SocketId, SocketOptions, Uring,
};

#[test]
fn running_out_of_descriptors_is_a_temporary_error() {
    let clock = Monotonic::start_at(Duration::ZERO);
    let drivers: [Box<dyn Driver>; 2] = [
        Box::new(Epoll::new(clock, Idle::Block, 1).unwrap()),
        Box::new(Uring::new(clock, Idle::Block, 1).unwrap()),
    ];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = Address::Ip(listener.local_addr().unwrap());
    for mut driver in drivers {
        let mut found = Vec::new();
        let mut files = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            files.push(file);
        }
        driver.connect(SocketId(0), &to, &SocketOptions::default());
        driver.wait(Timestamp::NEVER, &mut found).unwrap();
        drop(files);
        driver.connect(SocketId(0), &to, &SocketOptions::default());
        driver.wait(Timestamp::NEVER, &mut found).unwrap();
        let results: Vec<_> = found
            .iter()
            .map(|completion| match completion {
                Completion::Connected { result, .. } => *result,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(results, [Err(SocketError::NoFiles), Ok(())], "{}", driver.name());
    }
}
