//! Many races stepped together into buffers the caller owns.

use deepracer_sensor::Scratch;

use crate::race::{Action, Race, Step};
use crate::start::Start;
use crate::view::View;

struct Slot {
    race: Race,
    view: View,
    scratch: Scratch,
    active: bool,
}

/// N races. Each step works on the *active* ones only, in order of their index; finished races are deactivated by the
/// caller and woken by [`reset`](Self::reset). Races are independent, so any number of threads gives the same bytes.
pub struct Batch {
    slots: Vec<Slot>,
    observation_bytes: usize,
}

impl Batch {
    /// Races with their views; all observations have the same size. Every race is inactive until its first reset.
    pub fn new(races: Vec<(Race, View)>) -> Self {
        let observation_bytes = races.first().map_or(0, |(_, view)| view.observation_bytes());
        debug_assert!(
            races.iter().all(|(_, view)| view.observation_bytes() == observation_bytes),
            "observations of one size"
        );
        let slots =
            races.into_iter().map(|(race, view)| Slot { race, view, scratch: Scratch::new(), active: false }).collect();
        Self { slots, observation_bytes }
    }

    /// Begins an episode in race `index` and activates it; `seed` fixes all chance in it.
    pub fn reset(&mut self, index: usize, start: Start, seed: u64) {
        let slot = &mut self.slots[index];
        slot.race.reset(start, seed);
        slot.active = true;
    }

    /// Leaves race `index` out of further steps.
    pub fn deactivate(&mut self, index: usize) {
        self.slots[index].active = false;
    }

    /// Whether race `index` takes part.
    pub fn is_active(&self, index: usize) -> bool {
        self.slots[index].active
    }

    /// How many races take part.
    pub fn num_active(&self) -> usize {
        count_active(&self.slots)
    }

    /// Number of races, active or not.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no race at all.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Bytes of one observation.
    pub fn observation_bytes(&self) -> usize {
        self.observation_bytes
    }

    /// Race `index`.
    pub fn race(&self, index: usize) -> &Race {
        &self.slots[index].race
    }

    /// Race `index`, to be stepped on its own.
    pub fn race_mut(&mut self, index: usize) -> &mut Race {
        &mut self.slots[index].race
    }

    /// Asks the sensors of race `index` alone, active or not.
    ///
    /// # Panics
    /// If `out` is not [`observation_bytes`](Self::observation_bytes) long.
    pub fn observe_one(&mut self, index: usize, out: &mut [u8]) {
        let slot = &mut self.slots[index];
        slot.view.observe(&slot.race, &mut slot.scratch, out);
    }

    /// Steps every active race: `actions[k]` is for the k-th active race, whose outcome goes to `steps[k]`.
    ///
    /// # Panics
    /// If a buffer is shorter than the number of active races.
    pub fn advance(&mut self, actions: &[Action], steps: &mut [Step]) {
        let num_active = self.num_active();
        advance(&mut self.slots, &actions[..num_active], &mut steps[..num_active]);
    }

    /// Asks the sensors of every active race: the k-th run of [`observation_bytes`](Self::observation_bytes) bytes of
    /// `out` belongs to the k-th active race.
    ///
    /// # Panics
    /// If `out` is shorter than that.
    pub fn observe(&mut self, out: &mut [u8]) {
        let len = self.num_active() * self.observation_bytes;
        let observation_bytes = self.observation_bytes;
        observe(&mut self.slots, observation_bytes, &mut out[..len]);
    }
}

fn count_active(slots: &[Slot]) -> usize {
    slots.iter().filter(|slot| slot.active).count()
}

/// Splits the races in two until single ones are left; no allocation, and the work of a slow race is stolen.
fn advance(slots: &mut [Slot], actions: &[Action], steps: &mut [Step]) {
    /// A step takes a microsecond or two: splitting finer costs more than it wins.
    const FEW: usize = 16;
    if slots.len() <= FEW {
        for (slot, (action, step)) in slots.iter_mut().filter(|slot| slot.active).zip(actions.iter().zip(steps)) {
            slot.race.step_into(*action, step);
        }
        return;
    }
    let (left, right) = slots.split_at_mut(slots.len() / 2);
    let num_left = count_active(left);
    let (left_actions, right_actions) = actions.split_at(num_left);
    let (left_steps, right_steps) = steps.split_at_mut(num_left);
    rayon::join(|| advance(left, left_actions, left_steps), || advance(right, right_actions, right_steps));
}

fn observe(slots: &mut [Slot], observation_bytes: usize, out: &mut [u8]) {
    if let [slot] = slots {
        if slot.active {
            slot.view.observe(&slot.race, &mut slot.scratch, out);
        }
        return;
    }
    if slots.is_empty() {
        return;
    }
    let (left, right) = slots.split_at_mut(slots.len() / 2);
    let (left_out, right_out) = out.split_at_mut(count_active(left) * observation_bytes);
    rayon::join(|| observe(left, observation_bytes, left_out), || observe(right, observation_bytes, right_out));
}
