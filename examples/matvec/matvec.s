; A matrix by a vector, y = A x, with a loop over rows and one over columns. Each section has a quarter of the
; rows and all of x:
;
;   cp2 run examples/matvec/matvec.s --load a=examples/matvec/a.npy --load x=examples/matvec/x.npy --store y=y.npy
        .kernel matvec
        .arg    rows, g3, min=1         ; of a section; the sizes of A tell both
        .arg    n, g2, min=2            ; 16 columns each
        .array  a, in,  float32, 4*rows, 16*n, layout=blocks, at=g0
        .array  x, in,  float32, 16*n, at=g4
        .array  y, out, float32, 4*rows, layout=blocks, pack=both, at=g1
        move    a0, g0
        move    a1, g1
        .linear
        .disjoint r0, r1, r2
        .even   r0
        .scratch g14, g15
        .loop   g3, min=1
        move    a2, g4
        .rept   4, k
        clear   %sum{2*\k}, %sum{2*\k + 1}
        .endr
        .loop   g2, min=2
; schedule: ii=8 arithmetic=8 exchange=8 stages=2
        .rept   4, k
        ldo     %a{2*\k}:%a{2*\k + 1}, (r0)+2
        ldo     %x{2*\k}:%x{2*\k + 1}, (r2)+2
        psmadd  %sum{2*\k}, %a{2*\k}, %x{2*\k}
        psmadd  %sum{2*\k + 1}, %a{2*\k + 1}, %x{2*\k + 1}
        .endr
        .endloop
        .rept   4, k
        psadd   %sum{\k}, %sum{\k}, %sum{\k + 4}
        .endr
        .rept   2, k
        psadd   %sum{\k}, %sum{\k}, %sum{\k + 2}
        .endr
        psadd   %sum0, %sum0, %sum1
        swaphl  %other, %sum0
        psadd   %sum0, %sum0, %other    ; the sum, in both halves
        swo     %sum0, (r1)+1
        .endloop
        .endlinear
        stopi   0

; load: a=a.npy
; load: x=x.npy
; run:
; cycles: 2068
; compare: y=expected.npy atol=1e-3
