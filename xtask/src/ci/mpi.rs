//! The program over ranks, with each MPI that Debian has.
//!
//! What binds MPI was generated for one of them, and cargo does not know which: it is built anew.
//! All else stays as the step before has built it, as long as both are of the whole workspace:
//! cargo chooses the features of what others depend on by the packages that are asked for.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::must_run;
use super::step::run_cargo;
use crate::cluster;
use crate::workspace::{Workspace, cargo};

const TESTS: &str = "test --workspace --locked --features iopath-mpi/mpi,iopath/mpi \
    --test world --test ranks";

pub(super) fn open_mpi() -> Result<()> {
    test_with("openmpi")
}

pub(super) fn mpich() -> Result<()> {
    test_with("mpich")
}

/// The tests, then two hosts that are namespaces: their own files and one that both use.
fn test_with(mpi: &'static str) -> Result<()> {
    let cleaned = Command::new(cargo())
        .args(["clean", "--locked", "--package", "mpi-sys"])
        .status()
        .context("cargo does not start")?;
    if !cleaned.success() {
        bail!("cargo clean --package mpi-sys: {cleaned}");
    }
    run_cargo(TESTS, &[("MPICC", &format!("mpicc.{mpi}"))])?;
    if !must_run() {
        println!("not run: cluster check --only totals, for root only, and not with CI=false");
        return Ok(());
    }
    // The tests start it, so it is built.
    let program = Workspace::read()?.target.join("debug/iopath");
    let program = program.to_str().context("the target directory is not UTF-8")?;
    cluster::run(&["check", "--only", "totals", "--mpi", mpi, "--program", program])
}
