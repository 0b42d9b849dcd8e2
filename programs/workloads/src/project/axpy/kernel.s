; z := a x + y, element by element; each section works on a quarter of the vectors.
;
;   cp2 run NAME.s --load x=data/x.npy --load y=data/y.npy --arg a=0.5 --store z=z.npy
;   cp2 run NAME.s --interface
;   cp2 sched NAME.s
;   cp2 test
        .kernel NAME
        .arg    n, g2, min=16, multiple=4  ; turns of the loop; the size of x tells it
        .arg    a, f0
        .array  x, in,  float32, 16*n, layout=blocks
        .array  y, in,  float32, 16*n, layout=blocks
        .array  z, out, float32, 16*n, layout=blocks
        seti    a0, x
        seti    a1, y
        seti    a2, z
        .linear
        .disjoint r0, r1, r2
        .even   r0, r1, r2
        .scratch g15
        .loop   g2, min=16, multiple=4
; schedule: ii=3
        ldo     %x0:%x1, (r0)+2
        ldo     %y0:%y1, (r1)+2
        psmadd  %y0, %x0, f0
        psmadd  %y1, %x1, f0
        sdo     %y0:%y1, (r2)+2
        .endloop
        .endlinear
        stopi   0

        .lmem   all
x:      .zero   2048
y:      .zero   2048
z:      .zero   2048

; arg: a=0.5
; load: x=data/x.npy
; load: y=data/y.npy
; run:
; cycles: 228
; compare: z=data/expected.npy rtol=1e-6
