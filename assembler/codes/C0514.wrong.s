.kernel k
    seti a0, 100
    seti a1, 104
.linear
    .disjoint r0, r1
    .loop 8
    lwo %x, (r0)+1
    psadd %y, %x, %x
    swo %y, (r1)+1
    .endloop
.endlinear
    stopi 0
