    cadd f0, f1, f2
    stopi 0
