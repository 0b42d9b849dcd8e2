.linear
    .keep f0-f62
    lwi %a, 0
    lwi %b, 1
    cadd %c, %a, %b
    swi %c, 2
.endlinear
    stopi 0
