//! A `Link` of `iopath-ranks` over MPI, for ranks that `mpirun` or `srun` started.
//!
//! Without the feature `mpi` this crate is empty and needs nothing; with it, it needs libclang and
//! one implementation of MPI, whose compiler wrapper the variable `MPICC` names:
//!
//! ```text
//! MPICC=mpicc.openmpi cargo test -p iopath-mpi --features mpi --target-dir target/openmpi
//! MPICC=mpicc.mpich   cargo test -p iopath-mpi --features mpi --target-dir target/mpich
//! ```
//!
//! A program built for one does not run under the other's `mpirun`: each process would be alone.

#[cfg(feature = "mpi")]
mod calls;
#[cfg(any(feature = "mpi", test))]
mod hydra;
#[cfg(feature = "mpi")]
mod world;

#[cfg(feature = "mpi")]
pub use world::{NoWorld, World, library};
