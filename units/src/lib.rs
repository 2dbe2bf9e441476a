//! Quantities: bytes, rates, time, operations; parsed and printed in one way only.
