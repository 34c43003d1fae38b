//! Results that tests of single ops do not show.
