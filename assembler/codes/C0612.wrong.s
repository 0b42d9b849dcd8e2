.linear
.rept 4097
    psadd f1, f1, f2
.endr
.endlinear
    stopi 0
