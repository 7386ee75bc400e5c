"""The reward of one step: what the car is trained to do."""


def reward_function(params):
    """Reward driving near the centre line, on the track.

    `params` is a dictionary that describes the step: position, progress, speed, waypoints and more.
    The result must be a number between -100000 and 100000; values around 1 train well.
    """
    if not params["all_wheels_on_track"]:
        return 1e-3

    # 1.0 on the centre line, falling to 0.0 at the border.
    off_center = params["distance_from_center"] / (0.5 * params["track_width"])
    return float(max(1e-3, 1.0 - off_center**2))
