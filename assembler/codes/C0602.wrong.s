    cadd f0, f1, %x
    stopi 0
