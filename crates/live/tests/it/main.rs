//! A system behind a real mount: data, times, errors.
