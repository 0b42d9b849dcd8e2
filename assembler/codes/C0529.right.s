.kernel k
    seti g1, 1
    move control, g1
    stopi 0
