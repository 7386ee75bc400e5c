//! Where files live: a small trait over a local folder.
