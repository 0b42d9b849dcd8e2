.linear
    cadd %x, f0, f1
    copy f2, %x
.endlinear
    jumpi 0
    nop
