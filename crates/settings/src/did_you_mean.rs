//! Nearest names for a name nobody knows.

/// The candidates nearest to `name`, best first, at most `limit`, none that is far off.
///
/// Case and separators do not count: `dr_workers` is as near to `DR_WORKERS` as can be.
///
/// ```
/// let known = ["DR_WORLD_NAME", "DR_WORKERS", "DR_CAR_NAME"];
/// let near = deepracer_settings::did_you_mean::nearest("DR_WORLDNAME", known, 1);
/// assert_eq!(near, ["DR_WORLD_NAME"]);
/// assert!(deepracer_settings::did_you_mean::nearest("MY_TAG", known, 3).is_empty());
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let wanted = letters(name);
    let allowed = (wanted.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &letters(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    let best = near.first().map_or(0, |(distance, _)| *distance);
    near.retain(|(distance, _)| *distance <= best + 1);
    near.truncate(limit);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// `did you mean A, B or C?` for the nearest names, or nothing when none is near.
pub fn hint<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = nearest(name, candidates, 3);
    let (last, others) = near.split_last()?;
    Some(if others.is_empty() {
        format!("did you mean {last}?")
    } else {
        format!("did you mean {} or {last}?", others.join(", "))
    })
}

fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Typing errors between two names; a name cut short counts as one.
fn distance(wanted: &str, candidate: &str) -> usize {
    let cut_short = wanted.chars().count() >= 4 && candidate.starts_with(wanted);
    let errors = strsim::damerau_levenshtein(wanted, candidate);
    if cut_short { errors.min(1) } else { errors }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_find_their_name() {
        let known = ["reinvent_base", "reInvent2019_track", "Oval_track"];
        assert_eq!(nearest("reinvent-base", known, 3), ["reinvent_base"]);
        assert_eq!(nearest("renvent_bsae", known, 3), ["reinvent_base"]);
        assert_eq!(nearest("oval", known, 3), ["Oval_track"]);
        assert_eq!(nearest("spa", known, 3), Vec::<&str>::new());
    }

    #[test]
    fn hints_read_like_a_sentence() {
        assert_eq!(hint("hubert", ["huber"]).as_deref(), Some("did you mean huber?"));
        assert_eq!(hint("bed", ["red", "bad", "bet"]).as_deref(), Some("did you mean red, bad or bet?"));
        assert_eq!(hint("purple", ["red"]), None);
    }
}
