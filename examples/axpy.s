; y := y + a x over words of two numbers, in every section: x from word 0, y from word 4096, 2 g2 words.
        .kernel axpy
        lwi     f0, 2048                ; a, in both halves
        seti    a0, 0
        seti    a1, 4096
        seti    g2, 512
        .linear
        .disjoint r0, r1                ; x and y never meet
        .even   r0, r1
        .scratch g15
        .loop   g2, min=16, multiple=4
        ldo     %x0:%x1, (r0)+2
        ldo     %y0:%y1, (r1)
        psmadd  %y0, %x0, f0
        psmadd  %y1, %x1, f0
        sdo     %y0:%y1, (r1)+2
        .endloop
        .endlinear
        stopi   0
        .lmem   all
        .org    2048
        .complex 0.5, 0.5
