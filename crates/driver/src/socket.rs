//! Creates sockets and translates errors of the kernel.

use std::mem::size_of;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{io, ptr};

use crate::{Address, SocketError, SocketOptions};

impl SocketError {
    /// Translates an `errno` of a socket operation.
    #[must_use]
    pub const fn from_errno(errno: i32) -> Self {
        match errno {
            libc::ECONNREFUSED => Self::Refused,
            libc::ECONNRESET | libc::EPIPE | libc::ECONNABORTED => Self::Reset,
            libc::ENETUNREACH | libc::EHOSTUNREACH | libc::ENETDOWN | libc::EHOSTDOWN => Self::Unreachable,
            libc::ETIMEDOUT => Self::TimedOut,
            libc::EMFILE | libc::ENFILE => Self::NoFiles,
            libc::EADDRNOTAVAIL | libc::EADDRINUSE => Self::NoPorts,
            libc::ENOBUFS | libc::ENOMEM => Self::NoBuffers,
            libc::EACCES | libc::EPERM => Self::Denied,
            libc::ENOENT | libc::ENOTDIR => Self::NoSuchPath,
            other => Self::Other(other),
        }
    }

    /// Translates the calling thread's last error.
    pub(crate) fn last() -> Self {
        Self::from_errno(last_errno())
    }
}

/// Returns the calling thread's last error number.
pub(crate) fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// An address in the representation of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelAddress {
    storage: libc::sockaddr_storage,
    len: libc::socklen_t,
}

impl KernelAddress {
    /// Converts `address`; fails if a Unix path is too long.
    pub(crate) fn new(address: &Address) -> Result<Self, SocketError> {
        match address {
            Address::Ip(address) => Ok(Self::ip(*address)),
            Address::Unix(path) => Self::unix(path),
        }
    }

    fn ip(address: SocketAddr) -> Self {
        match address {
            SocketAddr::V4(v4) => Self::of(libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            }),
            SocketAddr::V6(v6) => Self::of(libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            }),
        }
    }

    fn unix(path: &Path) -> Result<Self, SocketError> {
        let bytes = path.as_os_str().as_bytes();
        let mut address =
            libc::sockaddr_un { sun_family: libc::AF_UNIX as libc::sa_family_t, sun_path: [0; 108] };
        // One byte is needed for the terminating zero.
        if bytes.is_empty() || bytes.len() >= address.sun_path.len() {
            return Err(SocketError::Other(libc::ENAMETOOLONG));
        }
        for (to, from) in address.sun_path.iter_mut().zip(bytes) {
            *to = *from as libc::c_char;
        }
        Ok(Self::of(address))
    }

    /// Copies one of the kernel's address structs into storage that is large enough for any of them.
    fn of<T: Copy>(address: T) -> Self {
        const { assert!(size_of::<T>() <= size_of::<libc::sockaddr_storage>()) };
        // SAFETY: a sockaddr_storage holds only numbers, for which zero bits are valid.
        let mut storage: libc::sockaddr_storage = unsafe { std::mem::zeroed() };
        // SAFETY: `storage` is at least as large as T (asserted above) and aligned for every address struct.
        unsafe { ptr::write((&raw mut storage).cast::<T>(), address) };
        Self { storage, len: size_of::<T>() as libc::socklen_t }
    }

    /// Returns a pointer to the address; valid until this value moves.
    pub(crate) fn as_ptr(&self) -> *const libc::sockaddr {
        (&raw const self.storage).cast()
    }

    /// Returns the number of significant bytes.
    pub(crate) const fn len(&self) -> libc::socklen_t {
        self.len
    }

    fn family(&self) -> libc::c_int {
        libc::c_int::from(self.storage.ss_family)
    }
}

/// Creates a socket that can connect to `to`, with all options set, and bound if requested. `flags` are passed to `socket(2)` in
/// addition to close-on-exec.
pub(crate) fn open(
    to: &KernelAddress,
    options: &SocketOptions,
    flags: libc::c_int,
) -> Result<OwnedFd, SocketError> {
    // SAFETY: takes integers only.
    let fd = unsafe { libc::socket(to.family(), libc::SOCK_STREAM | libc::SOCK_CLOEXEC | flags, 0) };
    if fd < 0 {
        return Err(SocketError::last());
    }
    // SAFETY: the descriptor was just created and has no other owner.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    if options.nodelay && to.family() != libc::AF_UNIX {
        set(&fd, libc::IPPROTO_TCP, libc::TCP_NODELAY, 1)?;
    }
    if let Some(bytes) = options.send_buffer {
        set(&fd, libc::SOL_SOCKET, libc::SO_SNDBUF, number(bytes))?;
    }
    if let Some(bytes) = options.receive_buffer {
        set(&fd, libc::SOL_SOCKET, libc::SO_RCVBUF, number(bytes))?;
    }
    if options.reset_on_close {
        set_option(&fd, libc::SOL_SOCKET, libc::SO_LINGER, &libc::linger { l_onoff: 1, l_linger: 0 })?;
    }
    if let (Some(from), true) = (options.bind, to.family() != libc::AF_UNIX) {
        bind(&fd, from)?;
    }
    Ok(fd)
}

/// Binds the socket to its source address.
fn bind(fd: &OwnedFd, from: SocketAddr) -> Result<(), SocketError> {
    if from.port() == 0 {
        // The kernel chooses the port on connect, where only the 4-tuple of addresses and ports has to be unique.
        set(fd, libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT, 1)?;
    }
    let from_kernel = KernelAddress::ip(from);
    // SAFETY: reads `len` bytes of an address that lives on this frame.
    if unsafe { libc::bind(fd.as_raw_fd(), from_kernel.as_ptr(), from_kernel.len()) } == 0 {
        return Ok(());
    }
    match last_errno() {
        // From `bind` this error means that the address is not local, not that the ports ran out.
        libc::EADDRNOTAVAIL => Err(SocketError::Other(libc::EADDRNOTAVAIL)),
        errno => Err(SocketError::from_errno(errno)),
    }
}

/// Converts a size to a C int. Larger sizes exceed the limits of the kernel anyway.
fn number(bytes: u32) -> libc::c_int {
    libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX)
}

fn set(fd: &OwnedFd, level: libc::c_int, name: libc::c_int, value: libc::c_int) -> Result<(), SocketError> {
    set_option(fd, level, name, &value)
}

fn set_option<T>(fd: &OwnedFd, level: libc::c_int, name: libc::c_int, value: &T) -> Result<(), SocketError> {
    let len = size_of::<T>() as libc::socklen_t;
    // SAFETY: reads `len` bytes of a value that is borrowed for the call.
    let result = unsafe { libc::setsockopt(fd.as_raw_fd(), level, name, ptr::from_ref(value).cast(), len) };
    if result < 0 { Err(SocketError::last()) } else { Ok(()) }
}

/// Starts to connect. The error is an `errno`, possibly `EINPROGRESS`.
pub(crate) fn connect(fd: &OwnedFd, to: &KernelAddress) -> Result<(), i32> {
    // SAFETY: reads `len` bytes of an address that is borrowed for the call.
    let result = unsafe { libc::connect(fd.as_raw_fd(), to.as_ptr(), to.len()) };
    if result < 0 { Err(last_errno()) } else { Ok(()) }
}

// `receive` and `send` bypass the C library, whose wrappers are thread cancellation points: in a multi-threaded program these
// cost one or two per cent of a small request.

/// Reads available bytes, at most the size of `into`. Zero bytes mean that the peer has closed its side.
pub(crate) fn receive(fd: &OwnedFd, into: &mut [u8]) -> Result<usize, i32> {
    // SAFETY: writes at most `len` bytes into the live slice.
    let len = unsafe {
        libc::syscall(
            libc::SYS_recvfrom,
            fd.as_raw_fd(),
            into.as_mut_ptr(),
            into.len(),
            libc::MSG_DONTWAIT,
            ptr::null_mut::<libc::sockaddr>(),
            ptr::null_mut::<libc::socklen_t>(),
        )
    };
    usize::try_from(len).map_err(|_| last_errno())
}

/// Passes as much of `bytes` to the kernel as it accepts without blocking.
pub(crate) fn send(fd: &OwnedFd, bytes: &[u8]) -> Result<usize, i32> {
    let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: reads at most `len` bytes of the live slice.
    let len = unsafe {
        libc::syscall(
            libc::SYS_sendto,
            fd.as_raw_fd(),
            bytes.as_ptr(),
            bytes.len(),
            flags,
            ptr::null::<libc::sockaddr>(),
            0 as libc::socklen_t,
        )
    };
    usize::try_from(len).map_err(|_| last_errno())
}

/// Takes the pending error of a socket, if any.
pub(crate) fn take_error(fd: &OwnedFd) -> Result<(), SocketError> {
    let mut errno: libc::c_int = 0;
    let mut len = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: writes at most `len` bytes into a live int.
    let result = unsafe {
        libc::getsockopt(
            fd.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ERROR,
            (&raw mut errno).cast(),
            &raw mut len,
        )
    };
    match (result, errno) {
        (0, 0) => Ok(()),
        (0, errno) => Err(SocketError::from_errno(errno)),
        _ => Err(SocketError::last()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_too_long_is_an_error() {
        let long = Address::Unix("x".repeat(108).into());
        assert_eq!(KernelAddress::new(&long).err(), Some(SocketError::Other(libc::ENAMETOOLONG)));
        assert!(KernelAddress::new(&Address::Unix("x".repeat(107).into())).is_ok());
    }

    #[test]
    fn an_ipv6_address_has_the_layout_of_the_kernel() {
        let address = KernelAddress::ip("[2001:db8::7%5]:258".parse().unwrap());
        assert_eq!((address.len(), address.family()), (28, libc::AF_INET6));
        // SAFETY: an address has at least its 28 bytes of initialised storage.
        let bytes = unsafe { std::slice::from_raw_parts(address.as_ptr().cast::<u8>(), 28) };
        assert_eq!(bytes[2..4], [1, 2]);
        assert_eq!(bytes[8..24], [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!(bytes[24..], 5u32.to_ne_bytes());
    }

    #[test]
    fn errnos_are_translated() {
        assert_eq!(SocketError::from_errno(libc::EPIPE), SocketError::Reset);
        assert_eq!(SocketError::from_errno(libc::EADDRNOTAVAIL), SocketError::NoPorts);
        assert_eq!(SocketError::from_errno(libc::EINVAL), SocketError::Other(libc::EINVAL));
    }

    #[test]
    fn a_foreign_source_address_is_not_reported_as_missing_ports() {
        let to = KernelAddress::ip(([127, 0, 0, 1], 9).into());
        let options = SocketOptions { bind: Some(([192, 0, 2, 77], 0).into()), ..SocketOptions::default() };
        assert_eq!(open(&to, &options, 0).err(), Some(SocketError::Other(libc::EADDRNOTAVAIL)));
    }
}
