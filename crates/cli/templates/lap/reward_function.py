"""The reward of one step, for a first lap in minutes."""


def reward_function(params):
    """Reward speed near the centre line, and finishing the lap."""
    if not params["all_wheels_on_track"]:
        return 1e-3

    off_center = params["distance_from_center"] / (0.5 * params["track_width"])
    reward = params["speed"] * max(0.0, 1.0 - off_center**2)
    if params["progress"] >= 100.0:
        reward += 10.0
    return float(max(1e-3, reward))
