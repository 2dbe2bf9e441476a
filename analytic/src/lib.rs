//! Case to Record by bounds and sharing: no time passes.
