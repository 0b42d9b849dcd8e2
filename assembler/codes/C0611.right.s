    lwi f2, 0
    nop
    nop
.linear
    psadd f1, f2, f2
.endlinear
    stopi 0
