    move stopcode, g1
    stopi 0
