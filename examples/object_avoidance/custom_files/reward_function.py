"""Drive in the middle of the road, and around what stands on it."""

import math

# From this far before a box to this far behind it the free lane is the place to be, metres.
SWERVE_BEFORE_M = 1.5
SWERVE_BEHIND_M = 0.3


def reward_function(params):
    """1 on the wanted line, falling to 0 beside it; next to nothing off the road or in a box."""
    if params["is_crashed"] or not params["all_wheels_on_track"]:
        return 1e-3

    quarter = 0.25 * params["track_width"]
    left = params["distance_from_center"] * (1.0 if params["is_left_of_center"] else -1.0)
    miss = (left - wanted_left(params, quarter)) / quarter
    return float(1e-3 + math.exp(-(miss**2)))


def wanted_left(params, quarter):
    """How far left of the centre line the car should be, metres."""
    length = params["track_length"]
    behind, ahead = params["closest_objects"]
    for index, before, after in ((ahead, SWERVE_BEFORE_M, 0.0), (behind, 0.0, SWERVE_BEHIND_M)):
        if index < len(params["objects_distance"]):
            # Signed, and right across the start line too: positive while the box is ahead.
            gap = params["objects_distance"][index] - params["projection_distance"]
            gap = (gap + 0.5 * length) % length - 0.5 * length
            if -after <= gap <= before:
                return -quarter if params["objects_left_of_center"][index] else quarter
    return 0.0
