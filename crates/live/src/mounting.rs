//! The mount of the directory: by the kernel for root, else by `fusermount3`, which hands the open
//! connection over through a socket (`mount.fuse3(8)`, `_FUSE_COMMFD`).

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::OFlags;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    recvmsg, socketpair,
};
use rustix::process::{getegid, geteuid};

use crate::abi::DIRECTORY;
use crate::trouble::Trouble;

const FUSE: &str = "/dev/fuse";
const NAME: &str = "iopath";

/// Mounts a directory; gives the connection, which does not block.
pub(crate) fn mount_on(directory: &Path) -> Result<OwnedFd, Trouble> {
    let connection = match geteuid().is_root() {
        true => by_kernel(directory)?,
        false => by_fusermount(directory)?,
    };
    let flags = rustix::fs::fcntl_getfl(&connection).map(|flags| flags | OFlags::NONBLOCK);
    flags
        .and_then(|flags| rustix::fs::fcntl_setfl(&connection, flags))
        .map_err(|error| Trouble::file("use", Path::new(FUSE), error))?;
    Ok(connection)
}

/// Takes the mount away, also while its files are open.
pub(crate) fn unmount_from(directory: &Path) {
    // Where it is gone already there is nothing to do; what is left goes with a sweep.
    match geteuid().is_root() {
        true => drop(unmount(directory, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW)),
        false => drop(Command::new("fusermount3").args(["-u", "-z"]).arg(directory).status()),
    }
}

fn by_kernel(directory: &Path) -> Result<OwnedFd, Trouble> {
    let file: File = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlags::CLOEXEC.bits() as i32)
        .open(FUSE)
        .map_err(|error| Trouble::file("open", Path::new(FUSE), error))?;
    // Others may open what its mode allows them.
    let data = format!(
        "fd={},rootmode={DIRECTORY:o},user_id={},group_id={},default_permissions,allow_other",
        file.as_raw_fd(),
        geteuid().as_raw(),
        getegid().as_raw(),
    );
    let data = CString::new(data).unwrap_or_default();
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOATIME;
    mount(NAME, directory, format!("fuse.{NAME}"), flags, Some(data.as_c_str()))
        .map_err(|error| Trouble::file("mount", directory, error))?;
    Ok(file.into())
}

fn by_fusermount(directory: &Path) -> Result<OwnedFd, Trouble> {
    let failed = |says: String| Trouble::Mount { path: directory.to_owned(), says };
    let kernel = |error: rustix::io::Errno| failed(format!("was not reached: {error}"));
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None)
            .map_err(kernel)?;
    let child = Command::new("fusermount3")
        .args(["-o", &format!("fsname={NAME},subtype={NAME},default_permissions,noatime"), "--"])
        .arg(directory)
        .env("_FUSE_COMMFD", theirs.as_raw_fd().to_string())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("could not be started: {error}")))?;
    drop(theirs);
    let connection = receive(&ours).map_err(kernel)?;
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    connection.ok_or_else(|| failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// The descriptor that comes through a socket; none where it is closed without one.
fn receive(socket: &OwnedFd) -> rustix::io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut data = [IoSliceMut::new(&mut byte)];
    recvmsg(socket, &mut data, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let rights = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    Ok(rights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fusermount_hands_over_a_connection() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().canonicalize().unwrap();
        let connection = by_fusermount(&path).unwrap();
        let is_mounted = || {
            let mounts = std::fs::read_to_string("/proc/mounts").unwrap();
            mounts.contains(&format!("{} fuse.iopath ", path.display()))
        };
        assert!(is_mounted());
        // The kernel's first request: how both sides speak.
        let mut room = vec![0; 8192];
        let bytes = rustix::io::read(&connection, &mut room).unwrap();
        assert!(bytes > crate::abi::IN_HEADER);
        drop(connection);
        unmount_from(&path);
        assert!(!is_mounted());
        let trouble = by_fusermount(&path.join("nothing")).unwrap_err().to_string();
        assert!(trouble.contains("fusermount3"), "{trouble}");
    }
}
