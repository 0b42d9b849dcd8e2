.linear
    cadd f0, f1, %x
.endlinear
    stopi 0
