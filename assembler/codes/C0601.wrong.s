.linear
    cadd %x, f0, f1
    jumpi 0
.endlinear
    stopi 0
