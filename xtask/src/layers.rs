//! Who may depend on whom. Arrows point downward only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Crates from the bottom up, and the crates of this workspace each may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("track", &[]),
    ("settings", &[]),
    ("world", &["track"]),
    ("vehicle", &[]),
    ("sensor", &["world"]),
    ("race", &["track", "world", "vehicle", "sensor"]),
    ("policy", &[]),
    ("bucket", &[]),
    ("job", BELOW_JOB),
    ("viewer", BELOW_EDGE),
    ("cli", BELOW_PYTHON),
    ("python", ALL),
];

const BELOW_JOB: &[&str] = &["track", "settings", "world", "vehicle", "sensor", "race", "policy", "bucket"];
const BELOW_EDGE: &[&str] = &["track", "settings", "world", "vehicle", "sensor", "race", "policy", "bucket", "job"];
const BELOW_PYTHON: &[&str] =
    &["track", "settings", "world", "vehicle", "sensor", "race", "policy", "bucket", "job", "viewer"];
const ALL: &[&str] =
    &["track", "settings", "world", "vehicle", "sensor", "race", "policy", "bucket", "job", "viewer", "cli"];

/// The edge: argument parsing, serving, Python. What they need must not reach the crates below.
const EDGE: &[&str] = &["viewer", "cli", "python"];
/// What only the edge may depend on, even indirectly.
const ONLY_AT_THE_EDGE: &[&str] = &["axum", "clap", "hyper", "pyo3"];

/// Names every dependency that points the wrong way.
pub(crate) fn check(root: &Path) -> Vec<String> {
    match metadata(root) {
        Ok(metadata) => Graph::of(&metadata).findings(),
        Err(error) => vec![error],
    }
}

fn metadata(root: &Path) -> Result<Value, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cannot read cargo metadata: {error}"))
}

/// Packages by short name (`track` for `deepracer-track`), and what each needs to be built; tests aside.
struct Graph {
    members: BTreeSet<String>,
    needs: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    fn of(metadata: &Value) -> Graph {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let member_ids = list(&metadata["workspace_members"]);
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut members = BTreeSet::new();
        for package in list(&metadata["packages"]) {
            let name = package["name"].as_str().unwrap_or_default();
            let is_member = member_ids.contains(&package["id"]);
            let short = if is_member { short_name(&package, name) } else { name.to_owned() };
            if is_member && short != "xtask" {
                members.insert(short.clone());
            }
            names.insert(package["id"].as_str().unwrap_or_default().to_owned(), short);
        }
        let name_of = |id: &Value| names.get(id.as_str().unwrap_or_default()).cloned().unwrap_or_default();
        let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for node in list(&metadata["resolve"]["nodes"]) {
            let needed = list(&node["deps"])
                .iter()
                .filter(|dep| list(&dep["dep_kinds"]).iter().any(|kind| kind["kind"] != "dev"))
                .map(|dep| name_of(&dep["pkg"]))
                .collect::<BTreeSet<String>>();
            needs.entry(name_of(&node["id"])).or_default().extend(needed);
        }
        Graph { members, needs }
    }

    fn findings(&self) -> Vec<String> {
        let mut findings = Vec::new();
        for member in &self.members {
            let Some((_, may_use)) = MAY_USE.iter().find(|(name, _)| name == member) else {
                findings.push(format!("crate {member} has no layer: add it to xtask/src/layers.rs"));
                continue;
            };
            let needed = self.needs.get(member).into_iter().flatten();
            for other in needed.filter(|other| self.members.contains(*other)) {
                if !may_use.contains(&other.as_str()) {
                    findings.push(format!("crate {member} must not depend on {other}: arrows point downward only"));
                }
            }
            if !EDGE.contains(&member.as_str()) {
                let all = self.reached_from(member);
                for package in ONLY_AT_THE_EDGE.iter().filter(|package| all.contains(**package)) {
                    findings.push(format!("crate {member} pulls in {package}, which belongs to the edge"));
                }
            }
        }
        findings
    }

    fn reached_from<'a>(&'a self, start: &'a str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut open = vec![start];
        while let Some(name) = open.pop() {
            if reached.insert(name) {
                open.extend(self.needs.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        reached
    }
}

/// The folder of a package: `track` of `crates/track`, `python` of `python`.
fn short_name(package: &Value, name: &str) -> String {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().and_then(Path::file_name);
    folder.map_or_else(|| name.to_owned(), |folder| folder.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(needs: &[(&str, &[&str])]) -> Graph {
        let members = MAY_USE.iter().map(|(name, _)| (*name).to_owned()).collect();
        let needs = needs
            .iter()
            .map(|(name, others)| ((*name).to_owned(), others.iter().map(ToString::to_string).collect()))
            .collect();
        Graph { members, needs }
    }

    #[test]
    fn upward_arrows_are_found() {
        let fine = graph(&[("race", &["track", "sensor", "glam"]), ("cli", &["job", "clap"]), ("job", &["race"])]);
        assert_eq!(fine.findings(), Vec::<String>::new());
        let upward = graph(&[("track", &["world"]), ("policy", &["race"])]);
        assert_eq!(
            upward.findings(),
            [
                "crate policy must not depend on race: arrows point downward only",
                "crate track must not depend on world: arrows point downward only",
            ]
        );
    }

    #[test]
    fn edge_packages_are_found_through_others() {
        let hidden = graph(&[("settings", &["helper"]), ("helper", &["clap"])]);
        assert_eq!(hidden.findings(), ["crate settings pulls in clap, which belongs to the edge"]);
    }

    #[test]
    fn a_crate_without_layer_is_found() {
        let mut new = graph(&[]);
        new.members.insert("lidar".to_owned());
        assert_eq!(new.findings(), ["crate lidar has no layer: add it to xtask/src/layers.rs"]);
    }

    #[test]
    fn layers_only_know_the_ones_before_them() {
        for (index, (name, may_use)) in MAY_USE.iter().enumerate() {
            let below: Vec<&str> = MAY_USE[..index].iter().map(|(name, _)| *name).collect();
            assert!(may_use.iter().all(|other| below.contains(other)), "{name}");
        }
    }
}
