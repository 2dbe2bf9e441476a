//! Seeded generators that simulation and measurement share.
