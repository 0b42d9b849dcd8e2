; A polynomial of degree 5 at many points, y = c0 + c1 x + ... + c5 x^5, as linear code that the scheduler orders:
;
;   cp2 run examples/polynomial/polynomial.s --load c=examples/polynomial/c.npy \
;           --load x=examples/polynomial/x.npy --store y=y.npy
        .kernel polynomial
        .arg    n, g2, min=8, multiple=2  ; turns of the loop, 16 points each; the size of x tells it
        .array  c, in,  float32, 6, pack=both
        .array  x, in,  float32, 16*n, layout=blocks
        .array  y, out, float32, 16*n, layout=blocks
        seti    a0, x
        seti    a1, y
        seti    a2, c
        .linear
; schedule: registers=24
        .disjoint r0, r1, r2
        .even   r0, r1, r2
        .scratch g15
        .rept   3, k
        ldo     %c{2*\k}:%c{2*\k + 1}, (r2)+2
        .endr
        .loop   g2, min=8, multiple=2
; schedule: ii=20 arithmetic=16 exchange=4 stages=3
        ldo     %x0:%x1, (r0)+2
        .rept   2, w
        copy    %p{\w}, %c4
        psmadd  %p{\w}, %c5, %x{\w}     ; Horner, from the highest power down
        copy    %q{\w}, %c3
        psmadd  %q{\w}, %p{\w}, %x{\w}
        copy    %r{\w}, %c2
        psmadd  %r{\w}, %q{\w}, %x{\w}
        copy    %s{\w}, %c1
        psmadd  %s{\w}, %r{\w}, %x{\w}
        copy    %t{\w}, %c0
        psmadd  %t{\w}, %s{\w}, %x{\w}
        .endr
        sdo     %t0:%t1, (r1)+2
        .endloop
        .endlinear
        stopi   0

        .lmem   all
c:      .zero   6
x:      .zero   2048
y:      .zero   2048

; load: c=c.npy
; load: x=x.npy
; run:
; cycles: 1344
; compare: y=expected.npy rtol=1e-6 atol=1e-6
