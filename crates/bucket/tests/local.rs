//! What only a bucket of files can be asked: leftovers of killed writers, links, concurrent writers, full disks.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed step fails the test")]

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use deepracer_bucket::{Bucket, BucketError, LocalBucket};

fn keys(bucket: &LocalBucket, folder: &str) -> Vec<String> {
    bucket.list(folder).expect("a list").into_iter().map(|object| object.key).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn leftovers_of_dead_writers_are_invisible_and_removed_by_the_next_put() {
    let store = tempfile::tempdir().unwrap();
    let bucket = LocalBucket::new(store.path());
    bucket.put("m/a", b"1").unwrap();
    let dead = store.path().join("m/.~4242-0.part");
    let living = store.path().join("m/.~4243-7.part");
    fs::write(&dead, b"half").unwrap();
    let writer = File::create(&living).unwrap();
    writer.lock().unwrap();

    assert_eq!(keys(&bucket, ""), ["m/a"]);
    let next_process = LocalBucket::new(store.path());
    next_process.put("m/a", b"2").unwrap();
    assert!(!dead.exists(), "the file of the dead writer is removed");
    assert!(living.exists(), "the file of the living writer stays");
    drop(writer);
    assert_eq!(next_process.delete_folder("m").unwrap(), 1);
    assert!(!store.path().join("m").exists(), "removing a folder removes leftovers in it");
}

#[test]
fn a_reader_never_sees_a_part_of_a_put() {
    let store = tempfile::tempdir().unwrap();
    let contents = [vec![b'a'; 300_000], vec![b'b'; 200_000]];
    LocalBucket::new(store.path()).put("x/y", &contents[0]).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let bucket = LocalBucket::new(store.path());
            while !done.load(Ordering::Relaxed) {
                let seen = bucket.get("x/y").unwrap();
                assert!(contents.contains(&seen), "{} bytes", seen.len());
                assert_eq!(keys(&bucket, ""), ["x/y"]);
            }
        });
        let bucket = LocalBucket::new(store.path());
        for round in 0..60 {
            bucket.put("x/y", &contents[round % 2]).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(names_in(&store.path().join("x")), ["y"]);
}

#[test]
fn writers_survive_others_removing_their_folder() {
    let store = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let bucket = LocalBucket::new(store.path());
            scope.spawn(move || {
                for round in 0..200 {
                    let key = format!("same/folder/{thread}-{round}");
                    bucket.put(&key, b"x").unwrap();
                    assert!(bucket.delete(&key).unwrap());
                }
            });
        }
    });
    assert_eq!(names_in(store.path()), [""; 0]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_never_out_of_control() {
    use std::os::unix::fs::symlink;
    let store = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("reward_function.py"), "pass").unwrap();
    let bucket = LocalBucket::new(store.path());
    bucket.put("custom/a", b"1").unwrap();
    symlink(elsewhere.path(), store.path().join("custom/linked")).unwrap();
    symlink(store.path(), store.path().join("custom/round")).unwrap();
    symlink("nowhere", store.path().join("custom/broken")).unwrap();

    assert_eq!(keys(&bucket, ""), ["custom/a", "custom/linked/reward_function.py"]);
    assert_eq!(bucket.delete_folder("custom").unwrap(), 2);
    assert!(elsewhere.path().join("reward_function.py").exists(), "only the link is removed");
}

#[test]
fn a_bucket_of_a_store_has_a_plain_name() {
    let store = Path::new("data/s3");
    assert_eq!(LocalBucket::in_store(store, "my bucket").unwrap().root(), Path::new("data/s3/my bucket"));
    for name in ["", "..", "a/b", "/etc"] {
        assert!(matches!(LocalBucket::in_store(store, name), Err(BucketError::InvalidKey { .. })), "{name}");
    }
}

/// One of these is what the killed writer leaves.
fn versions() -> [Vec<u8>; 2] {
    [vec![b'a'; 400_000], vec![b'b'; 300_000]]
}

#[test]
fn a_writer_killed_at_any_moment_leaves_a_whole_object() {
    let store = tempfile::tempdir().unwrap();
    let bucket = LocalBucket::new(store.path());
    bucket.put("m/checkpoint", &versions()[0]).unwrap();
    for round in 0..12 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writes_until_killed", "--ignored"])
            .env("DEEPRACER_KILLED_BUCKET", store.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20 + 7 * round));
        writer.kill().unwrap();
        writer.wait().unwrap();
        assert!(versions().contains(&bucket.get("m/checkpoint").unwrap()), "round {round}");
        assert_eq!(keys(&bucket, ""), ["m/checkpoint"], "round {round}");
    }
    LocalBucket::new(store.path()).put("m/checkpoint", b"done").unwrap();
    assert_eq!(names_in(&store.path().join("m")), ["checkpoint"]);
}

#[test]
#[ignore = "run by the test above"]
fn writes_until_killed() {
    let Some(root) = std::env::var_os("DEEPRACER_KILLED_BUCKET") else { return };
    let bucket = LocalBucket::new(root);
    for version in versions().iter().cycle() {
        bucket.put("m/checkpoint", version).unwrap();
    }
}

/// Runs the test below inside a tiny file system, where the machine lets us mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_old_content_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=256k tmpfs \"$1\" || exit 77
                  DEEPRACER_TINY_DISK=\"$1\" exec \"$2\" --exact on_a_tiny_disk --ignored";
    let status = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) if status.code() == Some(101) => panic!("the test on the tiny disk failed"),
        _ => eprintln!("skipped: this machine does not let us mount a tiny disk"),
    }
}

#[test]
#[ignore = "run by the test above"]
fn on_a_tiny_disk() {
    let Some(root) = std::env::var_os("DEEPRACER_TINY_DISK") else { return };
    let bucket = LocalBucket::new(root);
    bucket.put("m/checkpoint", &vec![1; 100_000]).unwrap();
    let error = bucket.put("m/checkpoint", &vec![2; 200_000]).unwrap_err();
    assert!(matches!(error, BucketError::Full { .. }), "{error:?}");
    assert_eq!(bucket.get("m/checkpoint").unwrap(), vec![1; 100_000]);
    assert_eq!(names_in(&bucket.path_of("m").unwrap()), ["checkpoint"], "nothing is left lying about");
    bucket.put("m/small", &[3; 1000]).unwrap();
}
