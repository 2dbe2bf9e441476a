//! Tests of the emulation.
