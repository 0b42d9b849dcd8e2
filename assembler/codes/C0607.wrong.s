.linear
    .loop 5000
    lwo %x, (r0)+1
    psadd %y, %x, %x
    swo %y, (r1)+1
    .endloop
.endlinear
    stopi 0
