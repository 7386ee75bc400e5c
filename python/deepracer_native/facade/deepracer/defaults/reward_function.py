"""Stay near the centre line."""


def reward_function(params):
    """Return 1, 0.5 or 0.1 within 10, 25 or 50 % of the track's width from the centre line, else 0.001."""
    distance = params["distance_from_center"]
    width = params["track_width"]
    for share, reward in ((0.1, 1.0), (0.25, 0.5), (0.5, 0.1)):
        if distance <= share * width:
            return reward
    return 1e-3
