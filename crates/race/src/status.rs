//! The state of an episode as traces, metrics and logs spell it.

/// What a control step was judged to be. The words are the original's: [`code`](Self::code) in traces and logs,
/// [`label`](Self::label) in metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EpisodeStatus {
    /// The car came round: progress reached 100 %.
    LapComplete,
    /// A corner of the car lay inside another object.
    Crashed,
    /// No wheel was on the road.
    OffTrack,
    /// Driving, nothing special.
    InProgress,
    /// The car did not move for a second.
    Immobilized,
    /// The race's time is over.
    TimeUp,
    /// Waiting out a penalty.
    Pause,
    /// The car drove backwards for a second.
    Reversed,
    /// Parked until the other cars finish.
    Park,
    /// The first step of an episode: the car is held at its start.
    #[default]
    Prepare,
}

impl EpisodeStatus {
    /// All states, in the order in which the original reports them when several hold.
    pub const ALL: [Self; 10] = [
        Self::LapComplete,
        Self::Crashed,
        Self::OffTrack,
        Self::InProgress,
        Self::Immobilized,
        Self::TimeUp,
        Self::Pause,
        Self::Reversed,
        Self::Park,
        Self::Prepare,
    ];

    /// The word in traces and `SIM_TRACE_LOG` lines, e.g. `off_track`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::LapComplete => "lap_complete",
            Self::Crashed => "crashed",
            Self::OffTrack => "off_track",
            Self::InProgress => "in_progress",
            Self::Immobilized => "immobilized",
            Self::TimeUp => "time_up",
            Self::Pause => "pause",
            Self::Reversed => "reversed",
            Self::Park => "park",
            Self::Prepare => "prepare",
        }
    }

    /// The words in metrics files, e.g. `Off track`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::LapComplete => "Lap complete",
            Self::Crashed => "Crashed",
            Self::OffTrack => "Off track",
            Self::InProgress => "In progress",
            Self::Immobilized => "Immobilized",
            Self::TimeUp => "Time Up",
            Self::Pause => "Pause",
            Self::Reversed => "Reversed",
            Self::Park => "Park",
            Self::Prepare => "Prepare",
        }
    }
}
