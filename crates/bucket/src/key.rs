//! Which names a bucket can have, and how they are put together.

use crate::BucketError;

/// The longest component of a key, in bytes: 255 is the limit of usual file systems, less the room for the temporary
/// name an object has while it is being written.
const LONGEST_COMPONENT_BYTES: usize = 200;

/// Checks the key of an object.
///
/// Allowed is a relative path with forward slashes whose components are not empty, not `.` or `..`, at most 200 bytes
/// long and free of control characters and backslashes. Spaces, dots, dashes and letters of any script are fine.
pub fn check_key(key: &str) -> Result<(), BucketError> {
    match broken_rule(key) {
        None => Ok(()),
        Some(reason) => Err(BucketError::InvalidKey { key: key.to_owned(), reason }),
    }
}

/// Checks the name of a folder and returns it without its trailing slash. `""` is the whole bucket.
pub fn check_folder(folder: &str) -> Result<&str, BucketError> {
    let name = folder.strip_suffix('/').unwrap_or(folder);
    if !folder.is_empty() {
        check_key(name)?;
    }
    Ok(name)
}

/// Puts a folder and the rest of a key together; either may be empty.
pub fn join(folder: &str, rest: &str) -> String {
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    match (folder, rest) {
        ("", rest) => rest.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, rest) => format!("{folder}/{rest}"),
    }
}

/// The part of `key` below `folder`, of which it must be a descendant.
pub(crate) fn below<'key>(key: &'key str, folder: &str) -> &'key str {
    let folder = folder.strip_suffix('/').unwrap_or(folder);
    key.strip_prefix(folder).map_or(key, |rest| rest.strip_prefix('/').unwrap_or(rest))
}

fn broken_rule(key: &str) -> Option<&'static str> {
    if key.is_empty() {
        return Some("it is empty");
    }
    if key.starts_with('/') {
        return Some("it starts with a slash; names are relative to the bucket");
    }
    if key.chars().any(char::is_control) {
        return Some("it contains a control character (a line end, perhaps)");
    }
    if key.contains('\\') {
        return Some("it contains a backslash; separate folders with `/`");
    }
    key.split('/').find_map(|component| match component {
        "" => Some("it contains an empty folder name (two slashes in a row, or one at the end)"),
        "." | ".." => Some("`.` and `..` are not allowed in it"),
        _ if component.len() > LONGEST_COMPONENT_BYTES => Some("a part of it is longer than 200 bytes"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ordinary_and_unusual_names_are_allowed() {
        for key in ["a", "my model/v1.2-3/ip/done", "rødgrød/模型", ".coach_checkpoint", "a..b/...", "100%/#1 & 'x'"]
        {
            assert!(check_key(key).is_ok(), "{key}");
        }
    }

    #[test]
    fn names_that_leave_the_bucket_or_cannot_be_files_are_refused() {
        for key in ["", "/etc/passwd", "..", "../x", "a/../b", "a/./b", "a//b", "a/", "a\rb", "a\\b", "a\0b"] {
            assert!(matches!(check_key(key), Err(BucketError::InvalidKey { .. })), "{key}");
        }
        assert!(check_key(&"x".repeat(201)).is_err());
    }

    #[test]
    fn a_folder_may_end_with_a_slash_or_be_the_whole_bucket() {
        assert_eq!(check_folder("a/b/").ok(), Some("a/b"));
        assert_eq!(check_folder("").ok(), Some(""));
        assert!(check_folder("/").is_err());
        assert!(check_folder("a//").is_err());
    }

    proptest! {
        #[test]
        fn an_allowed_key_stays_below_the_root(key in ".{0,40}") {
            if check_key(&key).is_ok() {
                let mut depth = 0;
                for component in std::path::Path::new(&key).components() {
                    prop_assert!(matches!(component, std::path::Component::Normal(_)));
                    depth += 1;
                }
                prop_assert_eq!(depth, key.split('/').count());
            }
        }

        #[test]
        fn join_and_below_are_inverse(folder in "[a-z]{1,3}(/[a-z]{1,3}){0,2}/?", rest in "[a-z]{1,3}(/[a-z]{1,3}){0,2}") {
            let key = join(&folder, &rest);
            prop_assert_eq!(below(&key, &folder), rest.as_str());
        }
    }
}
