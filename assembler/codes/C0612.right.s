.linear
.scratch g15
.loop 4097
    psadd f1, f1, f2
.endloop
.endlinear
    stopi 0
