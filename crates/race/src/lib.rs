//! Racing: episodes, rules, reward parameters, batches of races.
