"""What a model is judged by: measures by name (``catalogue``); ``rate_names`` reads a rate at a rate,
``spoofing`` has the costs of attacks."""
