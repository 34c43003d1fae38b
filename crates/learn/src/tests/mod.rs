//! Comparisons with certified and with computed values.

mod nist;
mod peers;
