//! Checks of the tree and generated reference pages.
fn main() {}
