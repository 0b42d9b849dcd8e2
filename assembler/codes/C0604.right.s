.linear
    ldi %a:%b, 0
    ldi %d:%c, 2
    cadd f0, %b, %c
.endlinear
    stopi 0
