"""What every picture is made of: axes, marks, labels, captions, one picture on screen and paper."""
