//! The conformance suite on the simulator, on epoll and on io_uring.

mod kernel;
mod sim;

mod on_the_simulator {
    warwolf_sim::conformance!(super::sim::calm);
}

mod on_a_rough_simulator {
    warwolf_sim::conformance!(super::sim::rough);
}

mod on_epoll {
    warwolf_sim::conformance!(super::kernel::epoll);
}

mod on_uring {
    warwolf_sim::conformance!(super::kernel::uring);
}

mod on_uring_with_whole_buffers {
    warwolf_sim::conformance!(super::kernel::uring_whole);
}

mod on_epoll_over_unix_sockets {
    warwolf_sim::conformance!(super::kernel::epoll_unix);
}

mod on_uring_over_unix_sockets {
    warwolf_sim::conformance!(super::kernel::uring_unix);
}
