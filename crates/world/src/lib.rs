//! What can be seen and hit: the look of a world.
