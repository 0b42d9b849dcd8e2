; y := a x over words of two numbers, in every section: g0 words of x from word 0, y from word 2048, a in both halves of word 4096.
        .kernel scale
        lwi     f0, 4096
        seti    a0, 0
        seti    a1, 2048
        .linear
        .disjoint r0, r1                ; x and y never meet
        .even   r0, r1
        .scratch g15
        .loop   g0, min=16, multiple=4
        ldo     %x0:%x1, (r0)+2
        psmul   %y0, %x0, f0
        psmul   %y1, %x1, f0
        sdo     %y0:%y1, (r1)+2
        .endloop
        .endlinear
        stopi   0
