; A FIR filter on four channels of complex samples: y[i] = sum of h[k] x[i + k] over all taps k. Each section filters
; one channel.
;
;   cp2 run NAME.s --load h=data/h.npy --load x=data/x.npy --store y=y.npy
;   cp2 run NAME.s --interface
;   cp2 sched NAME.s
;   cp2 test
        .equ    taps, 16                ; length of the filter: even, from 8 to 16
        .kernel NAME
        .arg    n, g2, min=2                    ; turns of the loop, 8 results each; the size of x tells it
        .array  h, in,  complex64, taps, at=g4  ; g4 has the address of h: the array may lie anywhere
        .array  x, in,  complex64, 4, 8*n + taps - 1, layout=blocks, at=g5
        .array  y, out, complex64, 4, 8*n, layout=blocks, at=g6

; Addresses are in a0, a1 and so on. `(r0)+2` means the word at a0, which then steps by 2.
        move    a0, g5
        move    a1, g6
        move    a2, g4

; Linear code: one operation on a line, in the order of its meaning. The scheduler makes bundles of it, in which a
; load or store goes beside each arithmetic operation, and lets the turns of the loop overlap. %x0 is a register whose
; number the scheduler chooses.
        .linear
        .disjoint r0, r1                ; two promises: samples and results never meet in
        .even   r0, r1, r2              ; memory, and all three addresses are even
        .scratch g15                    ; the scheduler counts the loop here

; All taps stay in registers. A complex number fills a word, and `ldo` loads two words.
        .rept   taps / 2, m
        ldo     %h{2*\m}:%h{2*\m + 1}, (r2)+2
        .endr

; A turn makes 8 results. A result waits 8 cycles for the product before, so 8 of them in turn keep the multiplier busy.
        .loop   g2, min=2
; schedule: ii=128 arithmetic=128 exchange=16
        .rept   4, m
        ldo     %x{2*\m}:%x{2*\m + 1}, (r0)+2  ; x[i] to x[i + 7]
        .endr
        .rept   taps / 2, m             ; taps 2m and 2m + 1
        ldo     %x{2*\m + 8}:%x{2*\m + 9}, (r0)+2
        .rept   8, j
        .if     \m == 0
        cmul    %y\j, %x\j, %h0
        .else
        cmadd   %y\j, %x{2*\m + \j}, %h{2*\m}
        .endif
        .endr
        .rept   8, j
        cmadd   %y\j, %x{2*\m + 1 + \j}, %h{2*\m + 1}
        .endr
        .endr
        updaddr (r0)-taps               ; the next turn begins 8 samples behind this one
        .rept   4, m
        sdo     %y{2*\m}:%y{2*\m + 1}, (r1)+2
        .endr
        .endloop
        .endlinear
        stopi   0

; lint: none
; load: h=data/h.npy
; load: x=data/x.npy
; run:
; cycles: 2075
; compare: y=data/expected.npy atol=1e-5
