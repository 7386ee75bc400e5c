//! The promises of the trait `Bucket`, asked of every implementation. A new kind of bucket adds one test below.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed step fails the test")]

use deepracer_bucket::{Bucket, BucketError, FolderSize, LocalBucket, MemoryBucket, SyncReport, sync};

#[test]
fn local_bucket_keeps_the_promises() {
    let store = tempfile::tempdir().expect("a temporary folder");
    let mut number = 0;
    keeps_the_promises(&mut || {
        number += 1;
        Box::new(LocalBucket::new(store.path().join(format!("bucket {number}"))))
    });
}

#[test]
fn memory_bucket_keeps_the_promises() {
    keeps_the_promises(&mut || Box::new(MemoryBucket::new()));
}

/// `empty` makes a new, empty bucket on every call.
fn keeps_the_promises(empty: &mut dyn FnMut() -> Box<dyn Bucket>) {
    let promises: [fn(&dyn Bucket); 11] = [
        what_is_put_is_read_listed_and_found,
        a_put_replaces,
        names_with_spaces_dots_and_any_script_work,
        bad_names_are_refused_everywhere,
        a_missing_object_is_named,
        lists_are_sorted_and_exact,
        deleting_takes_one_object,
        deleting_a_folder_takes_that_folder_only,
        an_object_is_not_a_folder,
        copies_are_independent,
        objects_may_be_empty_or_large,
    ];
    for promise in promises {
        promise(&*empty());
    }
    syncing_copies_what_changed(&*empty(), &*empty());
}

fn keys(bucket: &dyn Bucket, folder: &str) -> Vec<String> {
    bucket.list(folder).expect("a list").into_iter().map(|object| object.key).collect()
}

fn put_all(bucket: &dyn Bucket, keys: &[&str]) {
    for key in keys {
        bucket.put(key, key.as_bytes()).expect("a put");
    }
}

fn what_is_put_is_read_listed_and_found(bucket: &dyn Bucket) {
    assert!(!bucket.exists("m/ip/done").unwrap());
    assert!(!bucket.folder_exists("m").unwrap());
    bucket.put("m/ip/done", b"done").unwrap();
    assert_eq!(bucket.get("m/ip/done").unwrap(), b"done");
    assert!(bucket.exists("m/ip/done").unwrap());
    assert!(bucket.folder_exists("m").unwrap());
    assert!(bucket.folder_exists("m/ip/").unwrap());
    let objects = bucket.list("m").unwrap();
    assert_eq!(objects.len(), 1);
    assert_eq!((objects[0].key.as_str(), objects[0].size_bytes), ("m/ip/done", 4));
}

fn a_put_replaces(bucket: &dyn Bucket) {
    bucket.put("a", b"a long first content").unwrap();
    bucket.put("a", b"short").unwrap();
    assert_eq!(bucket.get("a").unwrap(), b"short");
    assert_eq!(keys(bucket, ""), ["a"]);
}

fn names_with_spaces_dots_and_any_script_work(bucket: &dyn Bucket) {
    let names = [".coach_checkpoint", "7_Step-31.ckpt", "a model/v1.2/ø ü 模型.json", "x/100%/#1 'q' & $HOME"];
    put_all(bucket, &names);
    assert_eq!(keys(bucket, ""), names);
    for name in names {
        assert_eq!(bucket.get(name).unwrap(), name.as_bytes());
    }
    assert_eq!(keys(bucket, "a model"), ["a model/v1.2/ø ü 模型.json"]);
}

fn bad_names_are_refused_everywhere(bucket: &dyn Bucket) {
    let refused = |result: Result<(), BucketError>| {
        assert!(matches!(result, Err(BucketError::InvalidKey { .. })), "{result:?}");
    };
    for bad in ["../x", "/x", "a/../../x", "a//b", "a/.", "a\r"] {
        refused(bucket.put(bad, b"").map(drop));
        refused(bucket.get(bad).map(drop));
        refused(bucket.exists(bad).map(drop));
        refused(bucket.delete(bad).map(drop));
        refused(bucket.list(bad).map(drop));
        refused(bucket.delete_folder(bad).map(drop));
        refused(bucket.folder_exists(bad).map(drop));
        refused(bucket.copy(bad, "b").map(drop));
    }
    assert!(keys(bucket, "").is_empty());
}

fn a_missing_object_is_named(bucket: &dyn Bucket) {
    put_all(bucket, &["m/model/x"]);
    for missing in ["m/y", "m/model", "m/model/x/deeper"] {
        let error = bucket.get(missing).unwrap_err();
        assert!(matches!(&error, BucketError::NotFound { key, .. } if key == missing), "{error:?}");
        assert!(error.to_string().starts_with(&format!("there is no `{missing}` in ")), "{error}");
    }
}

fn lists_are_sorted_and_exact(bucket: &dyn Bucket) {
    put_all(bucket, &["foo-10/b", "foo-1/z/1", "foo-1/a", "foo-1.x", "foo-1/z.csv"]);
    assert_eq!(keys(bucket, "foo-1"), ["foo-1/a", "foo-1/z.csv", "foo-1/z/1"]);
    assert_eq!(keys(bucket, "foo-1/"), keys(bucket, "foo-1"));
    assert_eq!(keys(bucket, "foo"), [""; 0]);
    assert_eq!(keys(bucket, "foo-1/a"), [""; 0], "an object is not below itself");
    assert_eq!(keys(bucket, ""), ["foo-1.x", "foo-1/a", "foo-1/z.csv", "foo-1/z/1", "foo-10/b"]);
    assert_eq!(bucket.folder_size("foo-1").unwrap(), FolderSize { num_objects: 3, size_bytes: 7 + 11 + 9 });
    assert_eq!(bucket.folder_size("nothing").unwrap(), FolderSize::default());
}

fn deleting_takes_one_object(bucket: &dyn Bucket) {
    put_all(bucket, &["m/a", "m/a1"]);
    assert!(bucket.delete("m/a").unwrap());
    assert!(!bucket.delete("m/a").unwrap());
    assert!(!bucket.delete("m").unwrap(), "a folder is not an object");
    assert_eq!(keys(bucket, ""), ["m/a1"]);
    assert!(bucket.delete("m/a1").unwrap());
    assert!(!bucket.folder_exists("m").unwrap());
    bucket.put("m", b"now an object").unwrap();
}

fn deleting_a_folder_takes_that_folder_only(bucket: &dyn Bucket) {
    put_all(bucket, &["foo-1/a", "foo-1/b/c", "foo-10/a", "foo-11/a", "foo", "x/foo-1/a"]);
    assert_eq!(bucket.delete_folder("foo-1").unwrap(), 2);
    assert_eq!(bucket.delete_folder("foo-1").unwrap(), 0);
    assert_eq!(bucket.delete_folder("foo").unwrap(), 0, "an object is not a folder");
    assert_eq!(keys(bucket, ""), ["foo", "foo-10/a", "foo-11/a", "x/foo-1/a"]);
    assert_eq!(bucket.delete_folder("").unwrap(), 4);
    assert_eq!(keys(bucket, ""), [""; 0]);
    bucket.put("foo-1/a", b"again").unwrap();
}

fn an_object_is_not_a_folder(bucket: &dyn Bucket) {
    put_all(bucket, &["a/b"]);
    let below_object = bucket.put("a/b/c/d", b"").unwrap_err();
    assert!(
        matches!(&below_object, BucketError::Conflict { existing, existing_is_folder: false, .. } if existing == "a/b"),
        "{below_object:?}"
    );
    let over_folder = bucket.put("a", b"").unwrap_err();
    assert!(
        matches!(&over_folder, BucketError::Conflict { existing, existing_is_folder: true, .. } if existing == "a"),
        "{over_folder:?}"
    );
    assert_eq!(keys(bucket, ""), ["a/b"]);
}

fn copies_are_independent(bucket: &dyn Bucket) {
    put_all(bucket, &["m/model/a", "m/model/b/c", "m-E/old"]);
    bucket.copy("m/model/a", "elsewhere").unwrap();
    bucket.put("m/model/a", b"changed").unwrap();
    assert_eq!(bucket.get("elsewhere").unwrap(), b"m/model/a");
    assert_eq!(bucket.copy_folder("m", "m-E").unwrap(), 2);
    assert_eq!(keys(bucket, "m-E"), ["m-E/model/a", "m-E/model/b/c", "m-E/old"]);
    assert_eq!(bucket.get("m-E/model/a").unwrap(), b"changed");
}

fn objects_may_be_empty_or_large(bucket: &dyn Bucket) {
    let large: Vec<u8> = (0..3_000_000_u32).map(|index| (index % 251) as u8).collect();
    bucket.put("large", &large).unwrap();
    bucket.put("empty", b"").unwrap();
    assert!(bucket.get("large").unwrap() == large);
    assert!(bucket.get("empty").unwrap().is_empty());
    assert!(bucket.exists("empty").unwrap());
}

fn syncing_copies_what_changed(source: &dyn Bucket, target: &dyn Bucket) {
    put_all(source, &["reward_function.py", "deep/er/x.json"]);
    put_all(target, &["custom/only here", "custom-2/reward_function.py"]);
    let copied = |names: &[&str], num_unchanged| SyncReport {
        copied: names.iter().map(ToString::to_string).collect(),
        num_unchanged,
    };
    assert_eq!(sync(source, "", target, "custom").unwrap(), copied(&["deep/er/x.json", "reward_function.py"], 0));
    assert_eq!(sync(source, "", target, "custom/").unwrap(), copied(&[], 2));
    source.put("deep/er/x.json", b"deep/er/y.json").unwrap();
    assert_eq!(sync(source, "", target, "custom").unwrap(), copied(&["deep/er/x.json"], 1), "same size, other content");
    assert_eq!(target.get("custom/deep/er/x.json").unwrap(), b"deep/er/y.json");
    assert_eq!(
        keys(target, ""),
        ["custom-2/reward_function.py", "custom/deep/er/x.json", "custom/only here", "custom/reward_function.py"]
    );
    assert_eq!(sync(target, "custom", source, "").unwrap(), copied(&["only here"], 2), "the way back");
}
