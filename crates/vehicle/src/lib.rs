//! The car as a body: dynamics generations, actuators, footprint.
