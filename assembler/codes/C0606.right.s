.linear
    .loop 4
    copy f0, f1
    .endloop
.endlinear
    stopi 0
