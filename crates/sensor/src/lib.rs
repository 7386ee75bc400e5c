//! What the car perceives: cameras and the software renderer.
