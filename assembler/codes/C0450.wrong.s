    jumpi out
    sync
out:
    stopi 0
