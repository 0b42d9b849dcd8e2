    jumpi out
    nop
out:
    sync
    stopi 0
