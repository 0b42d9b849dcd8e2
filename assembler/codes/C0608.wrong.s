.linear
    .loop 4
    copy f0, f1
.endlinear
    stopi 0
