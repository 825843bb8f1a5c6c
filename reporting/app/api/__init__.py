"""What a notebook calls: tables in; frames, charts and reports out.

``reporting`` itself names the functions; nothing else in the package uses this room.
"""
