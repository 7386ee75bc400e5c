//! Checkpoints: the same bytes after a stop, with any number of threads; clear errors; never half a checkpoint.

use std::fs;
use std::path::Path;

use deepracer_policy::{
    ActionSpec, ActionVector, CheckpointError, Choice, ClippedPpo, InputShape, InputSpec, PolicySpec,
    PpoHyperparameters, RandomStream, Restore, Rollout, Topology, Variable,
};
use serde_json::json;

const SIDE: usize = 36;

fn policy(actions: ActionSpec, seed: u64) -> ClippedPpo {
    policy_of_size([SIDE, SIDE], actions, seed)
}

fn policy_of_size([height, width]: [usize; 2], actions: ActionSpec, seed: u64) -> ClippedPpo {
    let shape = InputShape::Image { height, width, channels: 1 };
    let inputs = vec![InputSpec { name: "FRONT_FACING_CAMERA".into(), shape }];
    let spec = PolicySpec { inputs, topology: Topology::Shallow, actions };
    let hyperparameters = PpoHyperparameters { num_epochs: 2, batch_size: 16, ..PpoHyperparameters::default() };
    ClippedPpo::new(spec, hyperparameters, seed).expect("a possible policy")
}

const DISCRETE: ActionSpec = ActionSpec::Discrete { num_actions: 3 };
const CONTINUOUS: ActionSpec = ActionSpec::Continuous { num_dims: 2 };

/// A rollout of random steps, the same for the same number.
fn rollout(policy: &ClippedPpo, number: u64) -> Rollout {
    let mut random = RandomStream::new(number, "rollout");
    let mut rollout = Rollout::new(policy.spec());
    for step in 1..=40 {
        let observation: Vec<u8> = (0..policy.spec().observation_bytes()).map(|_| random.bits() as u8).collect();
        let reward = random.normal() as f32;
        match policy.spec().actions {
            ActionSpec::Discrete { num_actions } => {
                rollout.push(
                    &observation,
                    Choice::Index(random.index(num_actions)),
                    &vec![1.0 / num_actions as f32; num_actions],
                    reward,
                );
            }
            ActionSpec::Continuous { .. } => {
                let vector = [random.normal() as f32, random.normal() as f32];
                rollout.push(&observation, Choice::Vector(ActionVector::new(&vector)), &[0.0, 0.0], reward);
            }
        }
        if step % 10 == 0 {
            rollout.end_episode();
        }
    }
    rollout
}

fn train(policy: &mut ClippedPpo, phases: std::ops::Range<u64>) {
    for phase in phases {
        policy.train(&rollout(policy, phase)).expect("training");
    }
}

/// Name and bytes of every file of a folder.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            (path.file_name().expect("a name").to_string_lossy().into_owned(), fs::read(&path).expect("the file"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn training_goes_on_as_if_it_had_not_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    for actions in [DISCRETE, CONTINUOUS] {
        let [half, resumed, straight] = ["half", "resumed", "straight"].map(|name| folder.path().join(name));
        let mut policy_straight = policy(actions, 1);
        train(&mut policy_straight, 0..4);
        policy_straight.save(&straight, &json!({"episodes": 4})).expect("saving");

        let mut first = policy(actions, 1);
        train(&mut first, 0..2);
        first.save(&half, &json!({"episodes": 2})).expect("saving");
        drop(first);
        let (mut second, extra) = ClippedPpo::load(&half).expect("loading");
        assert_eq!(extra, json!({"episodes": 2}));
        assert_eq!(second.training_phases(), 2);
        train(&mut second, 2..4);
        second.save(&resumed, &json!({"episodes": 4})).expect("saving");
        assert!(files(&straight) == files(&resumed), "{actions}");
    }
}

/// With pictures of the real size, so that every layer is cut into many blocks, and a minibatch that is no multiple of the
/// groups.
#[test]
fn one_and_two_threads_give_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    for actions in [DISCRETE, CONTINUOUS] {
        let run = |threads: usize| {
            let work = || {
                let mut policy = policy_of_size([120, 160], actions, 1);
                let hyperparameters =
                    PpoHyperparameters { num_epochs: 1, batch_size: 19, ..policy.hyperparameters().clone() };
                policy.set_hyperparameters(hyperparameters).expect("possible");
                train(&mut policy, 0..2);
                let path = folder.path().join(threads.to_string());
                policy.save(&path, &json!(null)).expect("saving");
                let mut output = vec![];
                policy.forward(&vec![99; 5 * 120 * 160], 5, &mut output);
                (files(&path), output)
            };
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
        };
        assert!(run(1) == run(2), "{actions}");
    }
}

#[test]
fn other_seeds_give_other_weights() {
    let first = |seed| policy(DISCRETE, seed).variables().next().expect("a variable").values()[0];
    assert_ne!(first(1), first(2));
    assert_eq!(first(1), first(1));
}

#[test]
fn weights_have_the_names_of_the_original() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = policy(DISCRETE, 1);
    policy.save(folder.path(), &json!(null)).expect("saving over an empty folder");
    let bytes = fs::read(folder.path().join("weights.safetensors")).expect("the weights");
    let tensors = safetensors::SafeTensors::deserialize(&bytes).expect("tensors");
    assert_eq!(tensors.len(), 22);
    let kernel =
        tensors.tensor("main_level/agent/main/online/network_1/ppo_head_0/policy_fc/kernel").expect("the actor's head");
    assert_eq!(kernel.shape(), [512, 3]);
    let kernel = tensors
        .tensor("main_level/agent/main/online/network_0/FRONT_FACING_CAMERA/Conv2d_2/kernel")
        .expect("the critic");
    assert_eq!(kernel.shape(), [4, 4, 32, 64]);
}

#[test]
fn a_checkpoint_is_replaced_as_a_whole() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("new/check point");
    let mut policy = policy(DISCRETE, 1);
    policy.save(&folder, &json!(1)).expect("saving into a folder that is made");
    train(&mut policy, 0..1);
    policy.save(&folder, &json!(2)).expect("saving again");
    let (loaded, extra) = ClippedPpo::load(&folder).expect("loading");
    assert_eq!((loaded.training_phases(), extra), (1, json!(2)));
    let left: Vec<_> = fs::read_dir(folder.parent().expect("new")).expect("new").collect();
    assert_eq!(left.len(), 1, "nothing is left beside it: {left:?}");

    // Killed between the two renames: the old checkpoint has been moved aside and is found.
    fs::rename(&folder, parent.path().join("new/.check point.previous")).expect("renaming");
    assert_eq!(ClippedPpo::load(&folder).expect("the previous one").1, json!(2));
    policy.save(&folder, &json!(3)).expect("saving");
    assert_eq!(ClippedPpo::load(&folder).expect("the new one").1, json!(3));

    // Killed while writing: what was written is not taken for a checkpoint.
    fs::create_dir(parent.path().join("new/.check point.writing-1")).expect("a folder");
    assert_eq!(ClippedPpo::load(&folder).expect("the new one").1, json!(3));
}

#[test]
fn a_failed_save_keeps_the_checkpoint_and_leaves_nothing() {
    let parent = tempfile::tempdir().expect("a folder");
    fs::write(parent.path().join("file"), "").expect("a file");
    let error = policy(DISCRETE, 1).save(&parent.path().join("file/checkpoint"), &json!(null)).expect_err("no folder");
    assert!(matches!(error, CheckpointError::Io { .. }), "{error}");
    assert_eq!(fs::read_dir(parent.path()).expect("the folder").count(), 1);
}

#[test]
fn damage_is_found_and_named() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("checkpoint");
    let check = |damage: &dyn Fn(), expected: &str| {
        policy(DISCRETE, 1).save(&folder, &json!(null)).expect("saving");
        damage();
        let error = ClippedPpo::load(&folder).expect_err(expected).to_string();
        assert!(error.contains(expected) && error.contains(&*folder.to_string_lossy()), "{error}");
    };
    let change = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let path = folder.join(name);
        let mut bytes = fs::read(&path).expect("the file");
        change(&mut bytes);
        fs::write(&path, bytes).expect("writing");
    };
    for name in ["weights.safetensors", "optimizer.safetensors"] {
        check(&|| change(name, &|bytes| bytes.truncate(1000)), "is damaged");
        check(&|| change(name, &|bytes| *bytes.last_mut().expect("a byte") ^= 1), "is damaged");
        check(&|| change(name, &|bytes| bytes[100_000] ^= 0x80), "use another checkpoint");
        check(&|| fs::remove_file(folder.join(name)).expect("removing"), "cannot read");
    }
    check(&|| change("state.json", &|bytes| bytes.truncate(50)), "is damaged");
    check(&|| fs::write(folder.join("state.json"), r#"{"format_version": 7}"#).expect("writing"), "format version 7");
    check(&|| fs::remove_file(folder.join("state.json")).expect("removing"), "there is no checkpoint");
}

#[test]
fn a_pretrained_start_takes_weights_with_or_without_the_optimiser() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pretrained");
    let mut pretrained = policy(DISCRETE, 1);
    train(&mut pretrained, 0..2);
    pretrained.save(&path, &json!(null)).expect("saving");
    let before = files(&path);

    let mut with = policy(DISCRETE, 2);
    with.load_weights_from(&path, Restore::WeightsAndOptimizer).expect("loading");
    assert!(with.variables().eq(pretrained.variables()));
    assert_eq!((with.optimizer_steps(), with.training_phases(), with.seed()), (pretrained.optimizer_steps(), 0, 2));

    let mut without = policy(DISCRETE, 2);
    without.load_weights_from(&path, Restore::Weights).expect("loading");
    assert!(without.variables().map(Variable::values).eq(pretrained.variables().map(Variable::values)));
    assert!(!without.variables().eq(pretrained.variables()), "the moments are fresh");
    assert_eq!(without.optimizer_steps(), 0);
    let mut outputs = [vec![], vec![]];
    without.forward(&[7; SIDE * SIDE], 1, &mut outputs[0]);
    pretrained.forward(&[7; SIDE * SIDE], 1, &mut outputs[1]);
    assert_eq!(outputs[0], outputs[1]);
    assert!(files(&path) == before, "the source is not written to");
}

#[test]
fn a_pretrained_model_of_another_kind_is_refused_naming_both() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(ActionSpec::Discrete { num_actions: 12 }, 1).save(folder.path(), &json!(null)).expect("saving");
    let refuse = |mut policy: ClippedPpo| {
        policy.load_weights_from(folder.path(), Restore::Weights).expect_err("another kind").to_string()
    };
    let error = refuse(policy(DISCRETE, 1));
    assert!(error.contains("has 12 discrete actions, this run has 3 discrete actions"), "{error}");
    let error = refuse(policy(CONTINUOUS, 1));
    assert!(error.contains("12 discrete actions") && error.contains("continuous actions of 2 dimensions"), "{error}");

    let other = |name: &str, topology| {
        let shape = InputShape::Image { height: SIDE, width: SIDE, channels: 1 };
        let inputs = vec![InputSpec { name: name.into(), shape }];
        let spec = PolicySpec { inputs, topology, actions: ActionSpec::Discrete { num_actions: 12 } };
        refuse(ClippedPpo::new(spec, PpoHyperparameters::default(), 1).expect("a possible policy"))
    };
    let error = other("LEFT_CAMERA", Topology::Shallow);
    assert!(error.contains("FRONT_FACING_CAMERA") && error.contains("LEFT_CAMERA"), "{error}");
    let error = other("FRONT_FACING_CAMERA", Topology::Mid);
    assert!(error.contains("the shallow network") && error.contains("the medium network"), "{error}");

    let missing =
        policy(DISCRETE, 1).load_weights_from(&folder.path().join("nothing"), Restore::Weights).expect_err("nothing");
    assert!(matches!(missing, CheckpointError::Missing(_)), "{missing}");
}
