.kernel k
    seti g1, 0x8001
    move control, g1
    stopi 0
