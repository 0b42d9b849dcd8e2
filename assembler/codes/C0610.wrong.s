.linear
    .disjoint r0, r1
    move a1, a0
    lwo %x, (r0)+1
    swo %x, (r1)+1
.endlinear
    stopi 0
