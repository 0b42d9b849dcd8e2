; Complex FIR with 8 taps, four channels, one in each section: y[i] = sum of h[k] x[i + 7 - k]. Written by hand, a
; complex multiply-add in every bundle of the loop:
;
;   cp2 run examples/fir/fir.s --load x=examples/fir/x.npy --load h=examples/fir/h.npy --store y=y.npy
        .kernel fir
        .arg    n, g2, min=1            ; groups of 8 results; the size of x tells it
        .array  x, in,  complex64, 4, 8*n + 7, layout=blocks
        .array  h, in,  complex64, 8
        .array  y, out, complex64, 4, 8*n, layout=blocks

; f0..f14 are x[i] .. x[i + 14], f16..f23 the taps from the last to the first, f24..f31 eight sums.
        seti    a0, x
        seti    a1, spare               ; the first group stores 8 sums that are none, before y
        seti    a2, h
        .rept   8, k
        | lwo   f{23 - \k}, (r2)+1
        .endr
        .rept   8, k
        | lwo   f{\k}, (r0)+1
        .endr
        | do    g2, last

; Bundle 8k + j adds the product of tap k to sum j, which it reads 8 bundles, so one latency, after it was written.
; The other slot stores the sums of the group before in bundles 0 to 7, loads f8..f14 in 8 to 14, and f0..f7 of the
; next group in 50 to 57, each after its last use.
        .macro  beside b, operation, register, address
        .if     \b < 8
        cmul    f{24 + \b}, f{\b}, f16 | \operation \register, \address
        .else
        cmadd   f{24 + (\b) % 8}, f{(\b) % 8 + (\b) / 8}, f{16 + (\b) / 8} | \operation \register, \address
        .endif
        .endm
        .macro  alone b
        cmadd   f{24 + (\b) % 8}, f{(\b) % 8 + (\b) / 8}, f{16 + (\b) / 8}
        .endm

        .allow  C0801 "the first group stores 8 sums that are none, into spare words"
        .rept   8, j
        beside  \j, swo, f{24 + \j}, (r1)+1
        .endr
        .endallow
        .rept   6, j
        beside  8 + \j, lwo, f{8 + \j}, (r0)+1
        .endr
        beside  14, lwo, f14, (r0)-6
        .rept   35, j
        alone   15 + \j
        .endr
        .rept   8, j
        beside  50 + \j, lwo, f{\j}, (r0)+1
        .endr
        .rept   4, j
        alone   58 + \j
        .endr
last:   alone   62
        alone   63

        .rept   8, j
        | swo   f{24 + \j}, (r1)+1
        .endr
        | stopi 0

        .lmem   all
h:      .zero   8
x:      .zero   2056
spare:  .zero   8
y:      .zero   2048

; lint: none
; load: x=x.npy
; load: h=h.npy
; run:
; cycles: 2077
; stats: cmul=256 cmadd=1792
; compare: y=expected.npy atol=1e-4
