//! The dr commands.
