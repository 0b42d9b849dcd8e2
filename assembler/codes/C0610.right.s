.linear
    .disjoint r0, r1
    lwo %x, (r0)+1
    swo %x, (r1)+1
.endlinear
    stopi 0
